import { useEffect, useState, type ReactNode } from 'react'
import { Button } from './button.tsx'

const PATIENCE_MS = 4_000

/** Asks once more before it acts. */
export function ConfirmButton({
  act,
  sure,
  disabled = false,
  label,
  children,
}: {
  act: () => void
  /** `Really remove Ana?` */
  sure: string
  disabled?: boolean
  label?: string
  children: ReactNode
}) {
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
    <Button
      small
      look={isAsking ? 'danger' : 'plain'}
      disabled={disabled}
      aria-label={isAsking ? undefined : label}
      onClick={press}
    >
      {isAsking ? sure : children}
    </Button>
  )
}
