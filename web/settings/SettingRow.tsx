import { ChevronRight, RotateCcw } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { CopyButton } from '../text/Code.tsx'
import { Button } from '../ui/button.tsx'
import { Card, CardHead, Problem } from '../ui/surface.tsx'
import { isPinned, sourceText, TAKES_EFFECT, useSetting, type Setting } from './setting.ts'
import style from './settings.module.css'

export function SettingGroup({
  title,
  settings,
}: {
  readonly title: string
  readonly settings: readonly Setting[]
}) {
  return (
    <Card>
      <CardHead title={title} />
      <ul className={style.rows}>
        {settings.map((setting) => (
          <SettingRow key={setting.key} setting={setting} />
        ))}
      </ul>
    </Card>
  )
}

/** The value, and behind it everything about the setting. */
function SettingRow({ setting }: { readonly setting: Setting }) {
  const [isOpen, setOpen] = useState(false)
  const { key, help, text, source, isSecret } = setting
  return (
    <li className={style.setting} data-open={isOpen}>
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ChevronRight aria-hidden="true" />
        <code>{key}</code>
        <span className={style.value} data-default={source.kind === 'default'} data-secret={isSecret}>
          {text}
        </span>
        <span className={style.help}>{help}</span>
        <span className={style.source}>{sourceText(source)}</span>
      </button>
      {isOpen && <Details setting={setting} />}
    </li>
  )
}

function Details({ setting }: { readonly setting: Setting }) {
  const { key, allowed, defaultText, change, environment, source, isForTerminal } = setting
  const saving = useSetting()
  const save = (text: string | null): void => saving.mutate({ key, text })
  return (
    <div className={style.details}>
      <Change setting={setting} save={save} isBusy={saving.isPending} />
      {saving.error !== null && <Problem error={saving.error} />}
      <dl>
        <dt>Allowed</dt>
        <dd>{allowed}</dd>
        <dt>Default</dt>
        <dd>{defaultText}</dd>
        <dt>Takes effect</dt>
        <dd>{TAKES_EFFECT[change]}</dd>
        <dt>Set in</dt>
        <dd>{'path' in source ? `${source.path}, line ${source.line}` : sourceText(source)}</dd>
        <dt>Environment</dt>
        <dd>
          <code>{environment.join(', ')}</code>
        </dd>
      </dl>
      {source.kind === 'file' && !isForTerminal && (
        <Button look="bare" small onClick={() => save(null)} disabled={saving.isPending}>
          <RotateCcw />
          Back to the default
        </Button>
      )}
    </div>
  )
}

interface ChangeProps {
  readonly setting: Setting
  readonly save: (text: string) => void
  readonly isBusy: boolean
}

function Change({ setting, save, isBusy }: ChangeProps) {
  const { key, choices, text, isSecret, isForTerminal } = setting
  const [given, setGiven] = useState(isSecret ? '' : text)
  if (isPinned(setting))
    return (
      <p className={style.note}>
        Set by {sourceText(setting.source)}, which overrides config.json. Change it there.
      </p>
    )
  if (isForTerminal) return <InTerminal setting={key} />
  if (choices !== null)
    return (
      <div className={style.choices} role="group" aria-label={key}>
        {choices.map((choice) => (
          <Button
            key={choice}
            small
            look={choice === text ? 'main' : 'plain'}
            aria-pressed={choice === text}
            disabled={isBusy || (key === 'permissions' && choice === 'bypassPermissions')}
            onClick={() => save(choice)}
          >
            {choice}
          </Button>
        ))}
      </div>
    )
  const send = (event: FormEvent): void => {
    event.preventDefault()
    save(given)
    if (isSecret) setGiven('')
  }
  return (
    <form className={style.form} onSubmit={send}>
      <input
        aria-label={key}
        type={isSecret ? 'password' : 'text'}
        autoComplete="off"
        spellCheck={false}
        value={given}
        placeholder={isSecret ? (text === 'none' ? 'Not set' : 'Set; write another to replace it') : ''}
        onChange={({ target }) => setGiven(target.value)}
      />
      <Button type="submit" look="main" disabled={isBusy || given === (isSecret ? '' : text)}>
        {isBusy ? 'Saving…' : 'Save'}
      </Button>
    </form>
  )
}

/** It starts programs, says where keys go, or opens the server: nobody with an unlocked phone may change it. */
function InTerminal({ setting }: { readonly setting: string }) {
  const command = `mainstem config set ${setting} VALUE`
  return (
    <p className={style.note}>
      This can only be changed on the machine itself: <code>{command}</code>
      <CopyButton text={command} />
    </p>
  )
}
