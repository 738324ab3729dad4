import { useState, type FormEvent } from 'react'
import type { PeopleView } from '../../src/view/people.ts'
import { useCommand } from '../api/act.ts'
import { useRead } from '../api/query.ts'
import { Button } from '../ui/button.tsx'
import { counted } from '../ui/numbers.ts'
import { Card, CardHead, Chip, Dot, Shown } from '../ui/surface.tsx'
import { Time } from '../ui/time.tsx'
import { SettingsOf } from './AllSettings.tsx'
import { ConfirmButton } from './ConfirmButton.tsx'
import style from './settings.module.css'

export function People() {
  const people = useRead<PeopleView>(
    '/api/people',
    {},
    { on: ['pairing', 'person', 'identity', 'strangers'] },
  )
  return (
    <>
      <Channels />
      <Shown of={people}>
        {(view) => (
          <>
            {view.pairings.length > 0 && <Pairings pairings={view.pairings} />}
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

function Channels() {
  const status = useRead<Status>('/api/status')
  return (
    <Card>
      <CardHead title="Channels" />
      <Shown of={status}>
        {({ apps }) =>
          apps.length === 0 ? (
            <p className={style.teach}>
              No chat app is connected. A bot of yours on Telegram lets you talk to the same assistant from
              your phone: make one with @BotFather, and set <code>telegram.token</code> below.
            </p>
          ) : (
            <ul className={style.rows}>
              {apps.map(({ name, isUp, as, why, since, retryAt }) => (
                <li key={name} className={style.row}>
                  <Dot tone={isUp ? 'good' : 'bad'} />
                  <b>{name}</b>
                  <span className={style.about}>
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
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </Card>
  )
}

function Pairings({ pairings }: Pick<PeopleView, 'pairings'>) {
  return (
    <Card className={style.waiting}>
      <CardHead title="Waiting to be let in" />
      <ul className={style.rows}>
        {pairings.map((pairing) => (
          <Pairing key={pairing.code} pairing={pairing} />
        ))}
      </ul>
    </Card>
  )
}

function Pairing({
  pairing: { code, name, identity, until },
}: {
  readonly pairing: PeopleView['pairings'][number]
}) {
  const command = useCommand()
  const [called, setCalled] = useState(name)
  const type = (text: string): void => command.mutate({ text })
  const letIn = (event: FormEvent): void => {
    event.preventDefault()
    if (called.trim() !== '') type(`/pair approve ${code} ${called.trim()}`)
  }
  return (
    <li className={style.row}>
      <b>{name}</b>
      <code>{identity}</code>
      <span className={style.about}>
        code <code>{code}</code>, until <Time at={until} />
      </span>
      <form className={style.acts} onSubmit={letIn}>
        <ConfirmButton
          sure="Really you? It gets all your rights"
          disabled={command.isPending}
          act={() => type(`/pair approve ${code} me`)}
        >
          It’s me
        </ConfirmButton>
        <input
          aria-label={`Name for ${name}`}
          value={called}
          onChange={({ target }) => setCalled(target.value)}
        />
        <Button type="submit" small look="main" disabled={command.isPending || called.trim() === ''}>
          Let in as a guest
        </Button>
        <Button small look="danger" disabled={command.isPending} onClick={() => type(`/pair refuse ${code}`)}>
          Refuse
        </Button>
      </form>
    </li>
  )
}

function Everybody({ view: { people, strangers } }: { readonly view: PeopleView }) {
  const command = useCommand()
  const remove = (who: string): void => command.mutate({ text: `/people remove ${who}` })
  return (
    <Card>
      <CardHead title="People" />
      <ul className={style.rows}>
        {people.map(({ id, name, role, identities, lastWroteAt }) => (
          <li key={id} className={style.row}>
            <b>{role === 'owner' ? 'You' : name}</b>
            <Chip>{role}</Chip>
            <span className={style.about}>
              {lastWroteAt === null ? (
                'has not written yet'
              ) : (
                <>
                  wrote <Time at={lastWroteAt} as="ago" />
                </>
              )}
            </span>
            <span className={style.acts}>
              {identities.map((identity) => (
                <ConfirmButton
                  key={identity}
                  sure={`Really unlink ${identity}?`}
                  label={`Unlink ${identity}`}
                  disabled={command.isPending}
                  act={() => remove(identity)}
                >
                  <code>{identity}</code> ×
                </ConfirmButton>
              ))}
              {role !== 'owner' && (
                <ConfirmButton
                  sure={`Really remove ${name}?`}
                  disabled={command.isPending}
                  act={() => remove(id)}
                >
                  Remove
                </ConfirmButton>
              )}
            </span>
          </li>
        ))}
      </ul>
      {strangers.map(({ channel, messages, notedAt }) => (
        <p key={channel} className={style.foot}>
          {counted(messages, 'message')} of strangers on {channel}, noted <Time at={notedAt} as="both" />.
          They cost nothing and are not answered.
        </p>
      ))}
    </Card>
  )
}
