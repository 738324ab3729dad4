import { Link } from 'wouter'
import { useCommand } from '../api/act.ts'
import { useRead } from '../api/query.ts'
import { Button } from '../ui/button.tsx'
import { Diff, type DiffLine } from '../ui/diff.tsx'
import { now } from '../api/now.ts'
import { spanText, useNow } from '../ui/time.tsx'
import style from './chat.module.css'

interface Approval {
  readonly number: number
  readonly kind: 'call' | 'file' | 'memory'
  readonly branch: string
  readonly until: string | null
  readonly what: string
  readonly text: string
}

/** What waits for a decision, wherever it was asked: the first ones of this branch come last, next to the composer. */
export function Approvals({ branch }: { readonly branch: string }) {
  const { data } = useRead<readonly Approval[]>(
    '/api/approvals',
    {},
    { on: ['approval-', 'turn-ended'], keep: true },
  )
  const open = (data ?? []).toSorted(
    (one, other) => Number(one.branch === branch) - Number(other.branch === branch),
  )
  if (open.length === 0) return null
  return (
    <div className={style.approvals}>
      {open.slice(-3).map((approval) => (
        <Card key={approval.number} approval={approval} here={branch} />
      ))}
      {open.length > 3 && <p className={style.quiet}>{open.length - 3} more wait for your decision.</p>}
    </div>
  )
}

function Card({ approval, here }: { readonly approval: Approval; readonly here: string }) {
  const { number, kind, branch, until, text } = approval
  const { mutate, isPending } = useCommand()
  useNow(until !== null, 1_000)
  const answer = (line: string) => () => mutate({ text: line, branch: here })
  const leftMs = until === null ? null : Date.parse(until) - now()
  const [title = '', ...rest] = text.split('\n')
  const words = title.replace(/^Approval \d+: /, '').replace(/ \(approval \d+\)/, '')
  return (
    <section className={style.approval} aria-label={words}>
      <h3>
        <Coded text={words.charAt(0).toUpperCase() + words.slice(1)} />
        {branch !== here && (
          <Link href={`/chat/${branch}`} className={style.approvalPlace}>
            in {branch}
          </Link>
        )}
      </h3>
      <Details lines={rest} />
      <p className={style.approvalButtons}>
        <Button look="main" disabled={isPending} onClick={answer(`/approve ${number}`)}>
          {kind === 'call' ? 'Once' : 'Approve'}
        </Button>
        {kind === 'call' && (
          <Button disabled={isPending} onClick={answer(`/approve ${number} always`)}>
            Always
          </Button>
        )}
        <Button disabled={isPending} onClick={answer(`/deny ${number}`)}>
          Deny
        </Button>
        {leftMs !== null && <small>{leftMs > 0 ? `refused in ${spanText(leftMs)}` : 'time is over'}</small>}
      </p>
    </section>
  )
}

/** Words in backticks as code. */
export function Coded({ text }: { readonly text: string }) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))
}

/** The lines of a call or a change: those that begin with + or - are shown as a difference. */
function Details({ lines }: { readonly lines: readonly string[] }) {
  const shown = lines
    .map((line) => line.replace(/^ {2}/, ''))
    .filter((line) => line.trim() !== '' && !line.startsWith('/approve '))
  if (shown.length === 0) return null
  const diff = shown.map((line): DiffLine => {
    if (/^\+( |$)/.test(line)) return { change: 'added', text: line.slice(2) }
    if (/^[-−]( |$)/.test(line)) return { change: 'removed', text: line.slice(2) }
    return { change: line.startsWith('…') ? 'skipped' : 'same', text: line }
  })
  return (
    <div className={style.approvalDiff}>
      <Diff lines={diff} />
    </div>
  )
}
