import { X } from 'lucide-react'
import { useEffect, useId, useRef, type ReactNode } from 'react'
import { Button } from './button.tsx'
import style from './dialog.module.css'
import ui from './ui.module.css'

interface DialogProps {
  readonly title: string
  /** `bare`: the content is the whole dialog, and says itself how it is closed. */
  readonly look?: 'plain' | 'bare' | 'sheet'
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Shown while it is rendered; what has `data-first` gets the focus. Escape and a click beside it close it; the focus returns to where it was. */
export function Dialog({ title, look = 'plain', onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    shown?.querySelector<HTMLElement>('[data-first]')?.focus()
    return () => shown?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      className={`${ui.over} ${style.dialog}`}
      data-look={look}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className={`${ui.column} ${style.inside}`}>
        <header className={look === 'bare' ? 'visually-hidden' : `${ui.row} ${style.head}`}>
          <h2 id={heading}>{title}</h2>
          {look !== 'bare' && (
            <Button look="bare" small aria-label="Close" onClick={onClose}>
              <X />
            </Button>
          )}
        </header>
        {children}
      </div>
    </dialog>
  )
}
