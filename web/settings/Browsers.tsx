import { useMutation } from '@tanstack/react-query'
import { Monitor, Smartphone } from 'lucide-react'
import { remove, type ApiError } from '../api/client.ts'
import { queries, useRead } from '../api/query.ts'
import { signOut } from '../app/session.ts'
import { Button } from '../ui/button.tsx'
import { Card, CardHead, Chip, Shown } from '../ui/surface.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.ts'
import { ConfirmButton } from './ConfirmButton.tsx'
import { browserName } from './browser-name.ts'
import style from './settings.module.css'

interface Answer {
  readonly sessions: readonly {
    readonly id: string
    readonly browser: string
    readonly signedInAt: number
    readonly seenAt: number
    readonly isThis: boolean
  }[]
}

/** The sessions of the page. */
export function Browsers() {
  const sessions = useRead<Answer>('/api/sessions')
  const revoking = useMutation<unknown, ApiError, string>({
    mutationFn: (id) => remove(`/api/sessions/${id}`),
    onError: ({ message }) => toast(message, 'bad'),
    onSettled: () => queries.invalidateQueries({ queryKey: ['/api/sessions'] }),
  })
  return (
    <Card>
      <CardHead title="Signed-in browsers" />
      <Shown of={sessions}>
        {({ sessions: all }) => (
          <ul className={style.rows}>
            {all.toReversed().map(({ id, browser, signedInAt, seenAt, isThis }) => (
              <li key={id} className={style.row}>
                {/Mobi|Android/.test(browser) ? (
                  <Smartphone aria-hidden="true" />
                ) : (
                  <Monitor aria-hidden="true" />
                )}
                <b title={browser}>{browserName(browser)}</b>
                {isThis && <Chip>this one</Chip>}
                <span className={style.about}>
                  signed in <Time at={signedInAt} as="both" /> · seen <Time at={seenAt} as="ago" />
                </span>
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
              </li>
            ))}
          </ul>
        )}
      </Shown>
      <p className={style.foot}>
        A session lasts 30 days. <code>mainstem open</code> prints a link that signs in another browser.
      </p>
    </Card>
  )
}
