import { useAct } from '../api/act.ts'
import { remove } from '../api/client.ts'
import { useRead } from '../api/query.ts'
import { signOut } from '../app/session.ts'
import { Button, ConfirmButton } from '../ui/button.tsx'
import { Shown } from '../ui/surface.tsx'
import { Time } from '../ui/time.tsx'
import { browserName } from './browser-name.ts'
import { ListCard, ListRow } from './list.tsx'

interface Answer {
  readonly sessions: readonly {
    readonly id: string
    readonly browser: string
    readonly signedInAt: number
    readonly seenAt: number
    readonly isThis: boolean
  }[]
}

const LASTS = (
  <>
    A session lasts 30 days. <code>mainstem open</code> prints a link that signs in another browser.
  </>
)

/** The sessions of the page. */
export function Browsers() {
  const revoking = useAct((id: string) => remove(`/api/sessions/${id}`))
  return (
    <Shown of={useRead<Answer>('/api/sessions')}>
      {({ sessions }) => (
        <ListCard title="Signed-in browsers" foot={LASTS}>
          {sessions.toReversed().map(({ id, browser, signedInAt, seenAt, isThis }) => (
            <ListRow
              key={id}
              name={<span title={browser}>{browserName(browser)}</span>}
              chip={isThis && 'this one'}
              about={
                <>
                  signed in <Time at={signedInAt} as="both" /> · seen <Time at={seenAt} as="ago" />
                </>
              }
            >
              {isThis ? (
                <Button small onClick={() => void signOut()}>
                  Sign out
                </Button>
              ) : (
                <ConfirmButton
                  sure="Really sign it out?"
                  disabled={revoking.isPending}
                  act={() => revoking.mutate(id)}
                >
                  Sign out
                </ConfirmButton>
              )}
            </ListRow>
          ))}
        </ListCard>
      )}
    </Shown>
  )
}
