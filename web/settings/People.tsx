import { useState, type FormEvent } from 'react'
import type { PeopleView } from '../../src/view/people.ts'
import { useCommand } from '../api/act.ts'
import { useRead } from '../api/query.ts'
import { CopyButton } from '../text/Code.tsx'
import { Button, CommandButton, ConfirmButton } from '../ui/button.tsx'
import { counted, moneyText, shortCount } from '../ui/numbers.ts'
import { Shown } from '../ui/surface.tsx'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import { SettingsOf } from './AllSettings.tsx'
import { ListCard, ListRow } from './list.tsx'

type Person = PeopleView['people'][number]

export function People() {
  const on = ['pairing', 'person', 'identity', 'strangers', 'model-']
  const people = useRead<PeopleView>('/api/people', {}, { on })
  return (
    <>
      <Channels />
      <Shown of={people}>
        {(view) => (
          <>
            {view.pairings.length > 0 && (
              <ListCard title="Waiting to be let in">
                {view.pairings.map((pairing) => (
                  <Pairing key={pairing.code} pairing={pairing} />
                ))}
              </ListCard>
            )}
            <Everybody view={view} />
          </>
        )}
      </Shown>
      <SettingsOf groups={['Channels']} />
    </>
  )
}

interface Status {
  readonly apps: readonly {
    readonly name: string
    readonly isUp: boolean
    readonly as?: string
    readonly why?: string
    readonly since?: number
    readonly retryAt?: number | null
  }[]
}

const NO_APP = (
  <>
    No chat app is connected. A bot of yours on Telegram lets you talk to the same assistant from your phone:
    make one with @BotFather, and set <code>telegram.token</code> below.
  </>
)

function Channels() {
  return (
    <Shown of={useRead<Status>('/api/status')}>
      {({ apps }) => (
        <ListCard title="Channels" none={NO_APP}>
          {apps.map((app) => (
            <ListRow
              key={app.name}
              tone={app.isUp ? 'good' : 'bad'}
              name={app.name}
              about={<Connection app={app} />}
            />
          ))}
        </ListCard>
      )}
    </Shown>
  )
}

function Connection({ app: { isUp, as, why, since, retryAt } }: { app: Status['apps'][number] }) {
  return (
    <>
      {isUp ? `connected${as === undefined ? '' : ` as ${as}`}` : (why ?? 'not connected')}
      {since !== undefined && (
        <>
          {' '}
          since <Time at={since} as="both" />
        </>
      )}
      {typeof retryAt === 'number' && (
        <>
          ; trying again <Time at={retryAt} as="ago" />
        </>
      )}
    </>
  )
}

function Pairing({ pairing }: { pairing: PeopleView['pairings'][number] }) {
  const { code, name, identity, until } = pairing
  const { mutate, isPending } = useCommand()
  const [called, setCalled] = useState(name)
  // It gets all rights: nobody at an open browser may do that (RIGHT1).
  const own = `mainstem pair approve ${code} me`
  const letIn = (event: FormEvent): void => {
    event.preventDefault()
    mutate({ text: `/pair approve ${code} ${called}` })
  }
  const about = (
    <>
      <code>{identity}</code>, code <code>{code}</code>, until <Time at={until} />
    </>
  )
  return (
    <ListRow tone="warn" name={name} about={about}>
      <form className={ui.row} onSubmit={letIn}>
        <input
          aria-label={`Name for ${name}`}
          size={12}
          value={called}
          onChange={({ target }) => setCalled(target.value)}
        />
        <Button type="submit" small look="main" disabled={isPending || called.trim() === ''}>
          Let in as a guest
        </Button>
        <CommandButton look="danger" line={`/pair refuse ${code}`}>
          Refuse
        </CommandButton>
      </form>
      <p className={ui.row}>
        Is it you? Then let it in on the machine itself: <code>{own}</code>
        <CopyButton text={own} />
      </p>
    </ListRow>
  )
}

function usedWords({ cost, tokensIn, tokensOut }: NonNullable<Person['usedToday']>): string {
  return cost === null ? `${shortCount(tokensIn + tokensOut)} tokens` : moneyText(cost)
}

function Everybody({ view: { people, strangers } }: { view: PeopleView }) {
  const { mutate, isPending } = useCommand()
  const remove = (who: string) => () => mutate({ text: `/people remove ${who}` })
  const ignored = strangers.map(({ channel, messages, notedAt }) => (
    <span key={channel}>
      {counted(messages, 'message')} of strangers on {channel}, noted <Time at={notedAt} as="both" />. They
      cost nothing and are not answered.{' '}
    </span>
  ))
  return (
    <ListCard title="People" foot={ignored.length === 0 ? undefined : ignored}>
      {people.map(({ id, name, role, identities, lastWroteAt, usedToday }) => (
        <ListRow
          key={id}
          name={role === 'owner' ? 'You' : name}
          chip={role}
          about={
            lastWroteAt === null ? (
              role === 'owner' ? (
                'has not written yet'
              ) : (
                'has not written since you let them in'
              )
            ) : (
              <>
                wrote <Time at={lastWroteAt} as="ago" />
                {usedToday !== null && usedToday.calls > 0 && `, used ${usedWords(usedToday)} today`}
              </>
            )
          }
        >
          {identities.map((identity) => (
            <ConfirmButton
              key={identity}
              sure={`Really unlink ${identity}?`}
              aria-label={`Unlink ${identity}`}
              disabled={isPending}
              act={remove(identity)}
            >
              <code>{identity}</code> ×
            </ConfirmButton>
          ))}
          {role !== 'owner' && (
            <ConfirmButton sure={`Really remove ${name}?`} disabled={isPending} act={remove(id)}>
              Remove
            </ConfirmButton>
          )}
        </ListRow>
      ))}
    </ListCard>
  )
}
