import { useEffect, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import style from './chat.module.css'

interface MarkDialogProps {
  readonly close: () => void
  readonly mark: (name: string) => void
}

/** Asks for the name of a mark. */
export function MarkDialog({ close, mark }: MarkDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [name, setName] = useState('')
  useEffect(() => dialog.current?.showModal(), [])
  const word = name.trim().replaceAll(/\s+/g, '-').replace(/^-+/, '')
  return (
    <dialog ref={dialog} className={style.dialog} aria-labelledby="mark-title" onClose={close}>
      <form
        method="dialog"
        onSubmit={() => {
          if (word !== '') mark(word)
        }}
      >
        <h2 id="mark-title">Set a mark here</h2>
        <p>You can come back to it later: what was said after it is then out of the model’s sight.</p>
        <input
          autoFocus
          value={name}
          onChange={({ target }) => setName(target.value)}
          placeholder="PLAN"
          aria-label="Name of the mark"
          maxLength={60}
        />
        <div>
          <Button onClick={() => dialog.current?.close()}>Cancel</Button>
          <Button type="submit" look="main" disabled={word === ''}>
            Set mark
          </Button>
        </div>
      </form>
    </dialog>
  )
}
