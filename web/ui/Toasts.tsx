import { X } from 'lucide-react'
import { Button } from './button.tsx'
import { dismiss, useToasts } from './toast.ts'
import style from './ui.module.css'

export function Toasts() {
  return (
    <div className={style.toasts} role="status">
      {useToasts().map(({ id, text, tone }) => (
        <div key={id} className={style.toast} data-tone={tone}>
          <p>{text}</p>
          <Button look="bare" small aria-label="Close" onClick={() => dismiss(id)}>
            <X />
          </Button>
        </div>
      ))}
    </div>
  )
}
