import { ArrowUp, Paperclip, Square, X } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState, type ClipboardEvent, type KeyboardEvent } from 'react'
import type { BranchHead } from '../../src/view/chat/timeline.ts'
import { useRunning } from '../api/query.ts'
import { Button } from '../ui/button.tsx'
import { bytesText } from '../ui/numbers.ts'
import ui from '../ui/ui.module.css'
import style from './chat.module.css'
import { Completions, useCompletions } from './completions.tsx'
import { setDraft, useDraft, useTyped } from './draft.ts'
import { textOf } from './EntryMenu.tsx'
import { follow } from './place.tsx'
import type { Entry } from './timeline.ts'
import { outbox } from './unsent.ts'
import { useUploads, type Uploads } from './uploads.ts'

interface ComposerProps {
  readonly head: BranchHead
  readonly branch: string
  /** The lines that were typed before, the newest last. */
  readonly typed: readonly string[]
  readonly replyTo: Entry | undefined
  readonly endReply: () => void
}

export function Composer(props: ComposerProps) {
  const { branch, replyTo, endReply } = props
  const { text, write, uploads, completing, isRunning, isWaiting, send, stop, onKeyDown } =
    useComposing(props)
  const field = useRef<HTMLTextAreaElement>(null)
  useGrowing(field, text)
  useEffect(() => field.current?.focus(), [replyTo])
  const onPaste = (event: ClipboardEvent): void => {
    const { files } = event.clipboardData
    if (files.length === 0) return
    event.preventDefault()
    uploads.add(files)
  }
  const isSendable = text.trim() !== '' || uploads.all.length > 0
  return (
    <form
      className={style.composer}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {uploads.isOver && <p className={style.drop}>Drop files to attach them</p>}
      <Completions of={completing} />
      {replyTo !== undefined && <ReplyTo entry={replyTo} end={endReply} />}
      {uploads.all.length > 0 && <Attached uploads={uploads} />}
      {isWaiting && (
        <p className={ui.note} role="status">
          Sent as soon as the upload is done. Esc keeps it here.
        </p>
      )}
      <div className={`${ui.card} ${style.input}`}>
        <AttachButton add={uploads.add} />
        <textarea
          ref={field}
          rows={1}
          value={text}
          placeholder="Message, or / for commands"
          aria-label={`Message to ${branch}`}
          {...completing.aria}
          onChange={({ target }) => write(target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        {isRunning && !isSendable ? (
          <Button look="main" onClick={stop} aria-label="Stop the answer" title="Stop (Esc)">
            <Square fill="currentColor" />
          </Button>
        ) : (
          <Button look="main" type="submit" disabled={!isSendable || isWaiting} aria-label="Send">
            <ArrowUp />
          </Button>
        )}
      </div>
    </form>
  )
}

/** The text, its files, and what the keys do. */
function useComposing({ head, branch, typed, replyTo, endReply }: ComposerProps) {
  const text = useDraft(branch)
  const setText = (next: string): void => setDraft(branch, next)
  const past = useTyped(typed, text, setText)
  const uploads = useUploads()
  const [isWaiting, setWaiting] = useState(false)
  const isRunning = useRunning().has(head.id) || head.state === 'running'
  const write = (next: string): void => {
    past.end()
    setText(next)
  }
  const completing = useCompletions(text, branch, write)
  const stop = (): void => void outbox.send({ text: '/stop', branch })
  const send = (): void => {
    const files = uploads.done
    if (uploads.isBusy) return setWaiting(true)
    if (text.trim() === '' && files.length === 0) return
    const more = { ...(files.length > 0 && { files }), ...(replyTo && { replyTo: replyTo.position }) }
    write('')
    uploads.clear()
    endReply()
    void outbox.send({ text, branch, ...more }).then((said) => follow(branch, said.branch))
  }
  const latest = useRef(send)
  latest.current = send
  const { isBusy, hasFailed } = uploads
  useEffect(() => {
    if (!isWaiting || isBusy) return
    setWaiting(false)
    // Without a file that could not be uploaded it would be another message.
    if (!hasFailed) latest.current()
  }, [isWaiting, isBusy, hasFailed])
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing) return
    const { key, currentTarget } = event
    const isPlain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey
    const isFirstLine = !text.slice(0, currentTarget.selectionStart).includes('\n')
    const isLastLine = !text.slice(currentTarget.selectionEnd).includes('\n')
    const acts = (): boolean => {
      if (completing.take(key)) return true
      if (key === 'Enter' && isPlain) send()
      else if (key === 'Escape' && isWaiting) setWaiting(false)
      else if (key === 'Escape' && replyTo !== undefined) endReply()
      else if (key === 'Escape' && isRunning) stop()
      else if (key === 'ArrowUp' && isPlain && isFirstLine) return past.go(1)
      else if (key === 'ArrowDown' && isPlain && isLastLine && past.isBack) return past.go(-1)
      else return false
      return true
    }
    if (acts()) event.preventDefault()
  }
  return { text, write, uploads, completing, isRunning, isWaiting, send, stop, onKeyDown }
}

function ReplyTo({ entry, end }: { entry: Entry; end: () => void }) {
  return (
    <p className={`${ui.chip} ${style.attached}`}>
      <span className={ui.clip}>Reply to: {textOf(entry)}</span>
      <Button small look="bare" onClick={end} aria-label="Do not reply to it">
        <X aria-hidden />
      </Button>
    </p>
  )
}

function AttachButton({ add }: Pick<Uploads, 'add'>) {
  const picker = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button
        look="bare"
        aria-label="Attach files"
        title="Attach files"
        onClick={() => picker.current?.click()}
      >
        <Paperclip />
      </Button>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          add(target.files ?? [])
          target.value = ''
        }}
      />
    </>
  )
}

function Attached({ uploads }: { uploads: Uploads }) {
  return (
    <ul className={ui.row}>
      {uploads.all.map(({ id, name, bytes, preview, problem, hash }) => (
        <li key={id} className={`${ui.chip} ${style.attached}`}>
          {preview ? <img src={preview} alt="" onLoad={() => URL.revokeObjectURL(preview)} /> : <Paperclip />}
          <span className={style.words}>
            {name}{' '}
            <small data-tone={problem && 'bad'}>
              {problem ?? (hash === undefined ? 'uploading…' : bytesText(bytes))}
            </small>
          </span>
          <Button small look="bare" onClick={() => uploads.remove(id)} aria-label={`Remove ${name}`}>
            <X aria-hidden />
          </Button>
        </li>
      ))}
    </ul>
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
