import { useEffect, useState, type ComponentProps, type ReactNode } from 'react'
import { Link } from 'wouter'
import { useCommand } from '../api/act.ts'
import style from './ui.module.css'

interface ButtonProps extends ComponentProps<'button'> {
  /** `main`: the one thing most people come for; `text`: looks like a link. */
  readonly look?: 'main' | 'plain' | 'bare' | 'danger' | 'text'
  readonly small?: boolean
}

export function Button({ look = 'plain', small = false, className = '', ...rest }: ButtonProps) {
  const looks = [style.button, look !== 'plain' && style[look], small && style.small, className]
  return <button type="button" className={looks.filter(Boolean).join(' ')} {...rest} />
}

/** A link that looks like a small button. */
export function LinkButton({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} className={`${style.button} ${style.small}`}>
      {children}
    </Link>
  )
}

interface CommandButtonProps extends ButtonProps {
  readonly line: string
  /** Left out: the branch that the page talks to. */
  readonly branch?: string
}

/** Performs a command line, such as `/undo`, as if it were typed, and shows what came of it. */
export function CommandButton({ line, branch, disabled = false, ...rest }: CommandButtonProps) {
  const { mutate, isPending } = useCommand()
  const act = (): void => mutate({ text: line, ...(branch !== undefined && { branch }) })
  return <Button small disabled={disabled || isPending} onClick={act} {...rest} />
}

interface ConfirmButtonProps extends ButtonProps {
  readonly act: () => void
  /** `Really remove Ana?` */
  readonly sure: string
}

const PATIENCE_MS = 4_000

/** Asks once more before it acts. */
export function ConfirmButton({ act, sure, children, ...rest }: ConfirmButtonProps) {
  const [isAsking, setAsking] = useState(false)
  useEffect(() => {
    if (!isAsking) return
    const timer = setTimeout(() => setAsking(false), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [isAsking])
  const press = (): void => {
    setAsking(!isAsking)
    if (isAsking) act()
  }
  return (
    <Button small onClick={press} {...rest} {...(isAsking && { look: 'danger', 'aria-label': sure })}>
      {isAsking ? sure : children}
    </Button>
  )
}
