import { Link } from 'wouter'
import type { approvalsView } from '../../src/view/approvals.ts'
import { now } from '../api/now.ts'
import { useRead } from '../api/query.ts'
import { Diff, type DiffLine } from '../ui/diff.tsx'
import { Card } from '../ui/surface.tsx'
import { spanText, useNow } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import style from './chat.module.css'
import { Act } from './place.tsx'

type Approval = ReturnType<typeof approvalsView>[number]

/** What waits for a decision, wherever it was asked: the first ones of this branch come last, next to the composer. */
export function Approvals({ here }: { here: string }) {
  const on = ['approval-', 'turn-ended']
  const { data = [] } = useRead<readonly Approval[]>('/api/approvals', {}, { on, keep: true })
  const open = data.toSorted((one, other) => Number(one.branch === here) - Number(other.branch === here))
  if (open.length === 0) return null
  return (
    <div className={style.approvals}>
      {open.slice(-3).map((approval) => (
        <ApprovalCard key={approval.number} approval={approval} here={here} />
      ))}
      {open.length > 3 && <p className={ui.note}>{open.length - 3} more wait for your decision.</p>}
    </div>
  )
}

function ApprovalCard({ approval, here }: { approval: Approval; here: string }) {
  const { number, kind, branch, until, text, address } = approval
  useNow(until !== null, 1_000)
  const leftMs = until === null ? null : Date.parse(until) - now()
  const [title = '', ...rest] = text.split('\n')
  const words = title.replace(/^Approval \d+: /, '').replace(/ \(approval \d+\)/, '')
  return (
    <Card className={style.approval} aria-label={words}>
      <h3>
        <Coded text={words.charAt(0).toUpperCase() + words.slice(1)} />{' '}
        {branch !== here && <Link href={`/chat/${branch}`}>in {branch}</Link>}
      </h3>
      {address !== null && (
        <p className={style.words}>
          {address.text.slice(0, address.from)}
          <u>{address.text.slice(address.from)}</u>
        </p>
      )}
      <Details lines={address === null ? rest : rest.slice(1)} />
      <p className={ui.row}>
        <Act look="main" small={false} line={`/approve ${number}`}>
          {kind === 'call' ? 'Once' : 'Approve'}
        </Act>
        {kind === 'call' && (
          <Act small={false} line={`/approve ${number} always`}>
            Always
          </Act>
        )}
        <Act small={false} line={`/deny ${number}`}>
          Deny
        </Act>
        {leftMs !== null && <small>{leftMs > 0 ? `refused in ${spanText(leftMs)}` : 'time is over'}</small>}
      </p>
    </Card>
  )
}

/** Words in backticks as code. */
export function Coded({ text }: { text: string }) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))
}

/** The lines of a call or a change: those that begin with + or - are shown as a difference. */
function Details({ lines }: { lines: readonly string[] }) {
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
    <div className={style.details}>
      <Diff lines={diff} />
    </div>
  )
}
