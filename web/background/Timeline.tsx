import { instantOf, wallAt } from '../api/zone.ts'
import { Link } from 'wouter'
import { Card } from '../ui/surface.tsx'
import { clockText, dayText, useNow } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import style from './background.module.css'
import { jobPath, type Ahead } from './data.ts'

type Due = Ahead['due'][number]

const HOUR_MS = 3_600_000
const JOBS_MAX = 12

/** The next hours: a row for each job with the times when it is due, over the hours when nobody is pinged. */
export function Timeline({ ahead }: { ahead: Ahead }) {
  const from = useNow()
  const to = from + Date.parse(ahead.until) - Date.parse(ahead.now)
  const shareOf = (at: string | number): number =>
    Math.max(0, Math.min(1, (new Date(at).getTime() - from) / (to - from)))
  const leftOf = (at: string | number): string => `${shareOf(at) * 100}%`
  const jobs = ahead.due.slice(0, JOBS_MAX)
  return (
    <Card className={ui.inside} aria-label="Next 12 hours">
      <header className={ui.row}>
        <h2>Next 12 hours</h2>
        <Legend ahead={ahead} left={ahead.due.length - jobs.length + ahead.left} />
      </header>
      <div className={style.timeline}>
        <div className={style.hours}>
          {stretchesOf(ahead).map(({ words, look, ...stretch }) => (
            <p
              key={stretch.from}
              className={ui.clip}
              data-look={look}
              style={{ left: leftOf(stretch.from), right: `${(1 - shareOf(stretch.to)) * 100}%` }}
            >
              {words}
            </p>
          ))}
          <ol>
            {ticksBetween(from, to).map((at) => (
              <li key={at} style={{ left: leftOf(at) }}>
                {clockText(at)}
              </li>
            ))}
          </ol>
          {ahead.refills.map((at) => (
            <b key={at} style={{ left: leftOf(at) }} title={`One more ping at ${clockText(at)}`}>
              +1
            </b>
          ))}
        </div>
        {jobs.length === 0 && <p data-tone="dim">Nothing is due in the next 12 hours.</p>}
        <ul className={ui.rows}>
          {jobs.map((job) => (
            <li key={`${job.kind} ${job.id}`}>
              <Link className={ui.clip} href={jobPath(job)} title={job.title} aria-label={titleOf(job)}>
                {job.title}
              </Link>
              <span className={style.key} data-kind={job.kind} data-look={lookOf(job)}>
                {(job.isOften ? job.times.slice(0, 1) : job.times).map((at) => (
                  <i key={at} style={{ left: leftOf(at) }} title={`${dayText(at)} ${clockText(at)}`} />
                ))}
                {job.isOften && <s style={{ left: leftOf(job.times[0] ?? from) }} />}
              </span>
            </li>
          ))}
        </ul>
      </div>
    </Card>
  )
}

/** Even hours of the clock. */
function ticksBetween(from: number, to: number): number[] {
  const first = instantOf(wallAt(from).setUTCMinutes(60, 0, 0))
  const hours = Array.from(
    { length: Math.ceil((to - first) / HOUR_MS) },
    (_, index) => first + index * HOUR_MS,
  )
  // At the very end its words would stand outside.
  return hours.filter((at) => wallAt(at).getUTCHours() % 2 === 0 && to - at > HOUR_MS / 2)
}

/** When nobody is pinged. */
function stretchesOf({ quiet, paused, now, until }: Ahead) {
  const end = paused === true ? until : paused
  const words = paused === end && end ? `paused until ${clockText(end)}` : 'paused until you resume'
  return [
    ...quiet.map((one) => ({ ...one, look: 'quiet', words: 'quiet' })),
    ...(end === false ? [] : [{ from: now, to: end, look: 'paused', words }]),
  ]
}

function lookOf({ paused, silent }: Due): 'paused' | 'silent' | 'plain' {
  return paused ? 'paused' : silent ? 'silent' : 'plain'
}

function titleOf({ kind, id, title, silent, background, paused, times: [at = ''] }: Due): string {
  const how = [background ? 'in the background' : 'in main', silent && 'may not ping', paused && 'paused']
  return [`${title}: ${kind} ${id}`, `${dayText(at)} ${clockText(at)}`, ...how].filter(Boolean).join(', ')
}

const KEYS = [
  { words: 'routine', of: { 'data-kind': 'routine' }, isFor: ({ kind }: Due) => kind === 'routine' },
  { words: 'reminder', of: { 'data-kind': 'reminder' }, isFor: ({ kind }: Due) => kind === 'reminder' },
  { words: 'may not ping', of: { 'data-look': 'silent' }, isFor: (job: Due) => lookOf(job) === 'silent' },
  { words: 'paused', of: { 'data-look': 'paused' }, isFor: (job: Due) => lookOf(job) === 'paused' },
]

function Legend({ ahead: { due, refills }, left }: { ahead: Ahead; left: number }) {
  return (
    <ul className={ui.legend}>
      {KEYS.filter(({ isFor }) => due.some(isFor)).map(({ words, of }) => (
        <li key={words} className={style.key} {...of}>
          <i /> {words}
        </li>
      ))}
      {refills.length > 0 && <li>+1 ping refilled</li>}
      {left > 0 && <li>and {left} more jobs</li>}
    </ul>
  )
}
