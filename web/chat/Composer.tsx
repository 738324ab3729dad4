import { ArrowUp, Paperclip, Square, X } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState, type ClipboardEvent, type KeyboardEvent } from 'react'
import { Button } from '../ui/button.tsx'
import { bytesText } from '../ui/numbers.ts'
import style from './chat.module.css'
import { Completions, useCompletions } from './completions.tsx'
import { textOf } from './EntryMenu.tsx'
import type { Entry } from './timeline.ts'
import { outbox, type Unsent } from './unsent.ts'
import { useUploads } from './uploads.ts'

interface ComposerProps {
  readonly branch: string
  readonly isRunning: boolean
  /** What was typed before, the newest last. */
  readonly typed: readonly string[]
  readonly replyTo: Entry | undefined
  readonly endReply: () => void
  readonly go: (branch: string) => void
}

const draftKey = (branch: string): string => `mainstem-draft ${branch}`

export function Composer({ branch, isRunning, typed, replyTo, endReply, go }: ComposerProps) {
  const [text, setText] = useState(() => localStorage.getItem(draftKey(branch)) ?? '')
  const [back, setBack] = useState(0)
  const field = useRef<HTMLTextAreaElement>(null)
  const uploads = useUploads()
  const completing = useCompletions(text, branch, (line) => write(line))
  const write = (next: string): void => {
    setText(next)
    if (next === '') localStorage.removeItem(draftKey(branch))
    else localStorage.setItem(draftKey(branch), next)
  }
  useGrowing(field, text)
  useEffect(() => field.current?.focus(), [replyTo])
  useEffect(() => {
    const take = (event: Event): void => {
      const { detail } = event as CustomEvent<Unsent>
      if (detail.branch === branch) write(detail.text)
    }
    addEventListener('mainstem-draft', take)
    return () => removeEventListener('mainstem-draft', take)
  }, [branch])

  const hasWords = text.trim() !== '' || uploads.done.length > 0
  const send = async (): Promise<void> => {
    if (!hasWords || uploads.isBusy) return
    const files = uploads.done.map(({ hash, name }) => ({ hash, name }))
    const more = { ...(files.length > 0 && { files }), ...(replyTo && { replyTo: replyTo.position }) }
    write('')
    setBack(0)
    uploads.clear()
    endReply()
    const said = await outbox.send({ text, branch, ...more })
    go(said.branch)
  }
  const stop = (): void => void outbox.send({ text: '/stop', branch })

  const recall = (step: number): boolean => {
    const next = back + step
    const isWithin = next >= 0 && next <= typed.length
    // A text of one's own is not replaced.
    const isUntouched = text === '' || text === typed.at(-back)
    if (!isWithin || !isUntouched) return false
    setBack(next)
    write(next === 0 ? '' : (typed.at(-next) ?? ''))
    return true
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing) return
    const { key, shiftKey, ctrlKey, metaKey, altKey, currentTarget } = event
    if (completing.take(key)) return event.preventDefault()
    const isPlain = !shiftKey && !altKey && !ctrlKey && !metaKey
    const before = text.slice(0, currentTarget.selectionStart)
    const after = text.slice(currentTarget.selectionEnd)
    if (key === 'Enter' && isPlain) void send()
    else if (key === 'Escape' && replyTo !== undefined) endReply()
    else if (key === 'Escape' && isRunning) stop()
    else if (key === 'ArrowUp' && isPlain && !before.includes('\n') && recall(1)) void 0
    else if (key === 'ArrowDown' && isPlain && back > 0 && !after.includes('\n') && recall(-1)) void 0
    else return
    event.preventDefault()
  }
  const onPaste = (event: ClipboardEvent): void => {
    const files = [...event.clipboardData.files]
    if (files.length === 0) return
    event.preventDefault()
    uploads.add(files)
  }
  return (
    <form
      className={style.composer}
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {uploads.isOver && <p className={style.drop}>Drop files to attach them</p>}
      <Completions of={completing} />
      {replyTo !== undefined && (
        <p className={style.replyTo}>
          <span>Reply to: {textOf(replyTo)}</span>
          <Button small look="bare" onClick={endReply} aria-label="Do not reply to it">
            <X aria-hidden />
          </Button>
        </p>
      )}
      {uploads.all.length > 0 && (
        <ul className={style.attached}>
          {uploads.all.map(({ id, name, bytes, preview, problem, hash }) => (
            <li key={id} data-problem={problem !== undefined}>
              {preview ? <img src={preview} alt="" /> : <Paperclip aria-hidden />}
              <span>
                {name}
                <small>{problem ?? (hash === undefined ? 'uploading…' : bytesText(bytes))}</small>
              </span>
              <Button small look="bare" onClick={() => uploads.remove(id)} aria-label={`Remove ${name}`}>
                <X aria-hidden />
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div className={style.input}>
        <label className={style.attach} title="Attach files">
          <Paperclip aria-hidden />
          <span className="visually-hidden">Attach files</span>
          <input
            type="file"
            multiple
            onChange={({ target }) => {
              uploads.add([...(target.files ?? [])])
              target.value = ''
            }}
          />
        </label>
        <textarea
          ref={field}
          rows={1}
          value={text}
          placeholder="Message, or / for commands"
          aria-label={`Message to ${branch}`}
          {...completing.aria}
          onChange={({ target }) => {
            setBack(0)
            write(target.value)
          }}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        {isRunning && !hasWords ? (
          <Button
            look="main"
            className={style.send ?? ''}
            onClick={stop}
            aria-label="Stop the answer"
            title="Stop (Esc)"
          >
            <Square aria-hidden fill="currentColor" />
          </Button>
        ) : (
          <Button
            type="submit"
            look="main"
            className={style.send ?? ''}
            disabled={!hasWords || uploads.isBusy}
            aria-label="Send"
          >
            <ArrowUp aria-hidden />
          </Button>
        )}
      </div>
    </form>
  )
}

/** As high as its text, up to a limit that the style sets. */
function useGrowing(field: { readonly current: HTMLTextAreaElement | null }, text: string): void {
  useLayoutEffect(() => {
    const { current } = field
    if (current === null) return
    current.style.height = 'auto'
    current.style.height = `${current.scrollHeight}px`
  }, [field, text])
}
