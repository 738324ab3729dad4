import type { ComponentProps, ReactNode } from 'react'
import { ApiError } from '../api/client.ts'
import { Button } from './button.tsx'
import style from './ui.module.css'

export function Card({ className = '', ...rest }: ComponentProps<'section'>) {
  return <section className={`${style.card} ${className}`} {...rest} />
}

export function CardHead({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <header className={`${style.row} ${style.cardHead}`}>
      <h2>{title}</h2>
      {children}
    </header>
  )
}

export function Chip({ className = '', ...rest }: ComponentProps<'span'>) {
  return <span className={`${style.chip} ${className}`} {...rest} />
}

/** A chip that is on or off, such as a filter. */
export function ChipButton({ pressed, ...rest }: ComponentProps<'button'> & { pressed: boolean }) {
  return <button type="button" className={style.chip} aria-pressed={pressed} {...rest} />
}

export function Dot({ tone }: { tone: 'good' | 'warn' | 'bad' | 'none' }) {
  return <span className={style.dot} data-tone={tone} />
}

interface TableProps {
  readonly heads: readonly string[]
  readonly className?: string | undefined
  /** Its rows. */
  readonly children: ReactNode
}

export function Table({ heads, className = '', children }: TableProps) {
  return (
    <table className={`${style.table} ${className}`}>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}

/** Nothing is there yet: what would be, and how to get it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={style.empty}>
      <h2>{title}</h2>
      {children}
    </div>
  )
}

export function Problem({ error, retry }: { error: unknown; retry?: () => unknown }) {
  const text = error instanceof ApiError || error instanceof Error ? error.message : String(error)
  return (
    <div className={`${style.row} ${style.banner}`} data-tone="bad" role="alert">
      <p>{text}</p>
      {retry && (
        <Button small onClick={() => retry()}>
          Try again
        </Button>
      )}
    </div>
  )
}

export function Loading() {
  return (
    <p className={style.loading} role="status">
      Loading…
    </p>
  )
}

interface Reading<T> {
  readonly data: T | undefined
  readonly error: unknown
  readonly refetch: () => unknown
}

interface ShownProps<T> {
  readonly of: Reading<T>
  /** Instead of the error if there is no such thing yet. */
  readonly missing?: ReactNode
  readonly children: (data: T) => ReactNode
}

/** Shows what was read, or that it is being read, or why it could not be. What was shown before stays. */
export function Shown<T>({ of: { data, error, refetch }, missing, children }: ShownProps<T>) {
  if (data !== undefined) return children(data)
  if (missing && error instanceof ApiError && error.status === 404) return missing
  return error ? <Problem error={error} retry={refetch} /> : <Loading />
}
