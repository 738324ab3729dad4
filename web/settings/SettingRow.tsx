import { ChevronRight, RotateCcw } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { CopyButton } from '../text/Code.tsx'
import { Button } from '../ui/button.tsx'
import { ChipChoice } from '../ui/choice.tsx'
import { Problem } from '../ui/surface.tsx'
import ui from '../ui/ui.module.css'
import { isPinned, sourceText, TAKES_EFFECT, useSetting, type Setting } from './setting.ts'
import style from './settings.module.css'

/** The value, and behind it everything about the setting. */
export function SettingRow({ setting }: { setting: Setting }) {
  const [isOpen, setOpen] = useState(false)
  const { key, help, text, source } = setting
  return (
    <li>
      <button
        type="button"
        className={`${ui.pick} ${style.setting}`}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronRight />
        <code>{key}</code>
        <span className={ui.clip} data-tone={source.kind === 'default' ? 'dim' : undefined}>
          {text}
        </span>
        <small>{sourceText(source)}</small>
        <small className={style.help}>{help}</small>
      </button>
      {isOpen && <Details setting={setting} />}
    </li>
  )
}

function Details({ setting }: { setting: Setting }) {
  const { key, allowed, defaultText, change, environment, source, isForTerminal } = setting
  const { mutate, isPending, error } = useSetting()
  const save = (text: string | null): void => mutate({ key, text })
  return (
    <div className={style.details}>
      <Change setting={setting} save={save} isBusy={isPending} />
      {error !== null && <Problem error={error} />}
      <dl className={style.facts}>
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
      {(source.kind === 'file' || source.kind === 'keyring') && !isForTerminal && (
        <Button look="bare" small onClick={() => save(null)} disabled={isPending}>
          <RotateCcw />
          Reset to default
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
  const { key, choices, text, isSecret, isForTerminal, source } = setting
  const known = isSecret ? '' : text
  const [given, setGiven] = useState(known)
  if (isPinned(setting))
    return <p>Set by {sourceText(source)}, which overrides config.json. Change it there.</p>
  if (isForTerminal) return <InTerminal command={`mainstem config set ${key} VALUE`} />
  const isOffered = (one: string): boolean => one === text || one !== 'bypassPermissions'
  if (choices !== null)
    return (
      <ChipChoice
        label={key}
        // Everything without asking is only chosen in the terminal.
        options={choices.filter(isOffered).map((one) => [one, one])}
        value={text}
        choose={save}
      />
    )
  const send = (event: FormEvent): void => {
    event.preventDefault()
    save(given)
    if (isSecret) setGiven('')
  }
  return (
    <form className={`${ui.row} ${style.form}`} onSubmit={send}>
      <input
        aria-label={key}
        type={isSecret ? 'password' : 'text'}
        autoComplete="off"
        spellCheck={false}
        value={given}
        placeholder={isSecret ? (text === 'none' ? 'Not set' : 'Set; write another to replace it') : ''}
        onChange={({ target }) => setGiven(target.value)}
      />
      <Button type="submit" look="main" disabled={isBusy || given === known}>
        {isBusy ? 'Saving…' : 'Save'}
      </Button>
    </form>
  )
}

/** It starts programs, says where keys go, or opens the server: nobody with an unlocked phone may change it. */
function InTerminal({ command }: { command: string }) {
  return (
    <p className={ui.row}>
      This can only be changed on the machine itself: <code>{command}</code>
      <CopyButton text={command} />
    </p>
  )
}
