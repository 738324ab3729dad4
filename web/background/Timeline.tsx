import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { Card } from '../ui/surface.tsx'
import { clockText, dayText, useNow } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import style from './background.module.css'
import { jobPath, type Ahead } from './data.ts'
import { hourTicks, placeMarks } from './timeline.ts'

const LANE = 26
const LANE_MAX = 40
/** For the words of shaded hours. */
const TOP = 24
/** Half a label of the clock. */
const EDGE = 16
const LABEL_CHARS = 28

type Due = Ahead['due'][number]

/** The next hours: what is due when, and when nobody is pinged. */
export function Timeline({ ahead }: { readonly ahead: Ahead }) {
  const [box, { width: total, height }] = useSize()
  const from = useNow()
  // For the clock, and for refills above it.
  const foot = ahead.refills.length > 0 ? 38 : 26
  const to = from + Date.parse(ahead.until) - Date.parse(ahead.now)
  const xOf = (at: string | number): number => ((new Date(at).getTime() - from) / (to - from)) * total
  const firings = firingsOf(ahead, to).map((firing) => ({ ...firing, x: Math.max(0, xOf(firing.at)) }))
  const places = placeMarks(
    firings.map(({ job, x, words }) => ({ x, width: widthOf(words), isOften: job.isOften })),
    total,
  )
  const lanes = Math.max(2, ...places.map(({ lane }) => lane + 1))
  const pitch = Math.min(LANE_MAX, Math.max(LANE, (height - TOP - foot) / lanes))
  // Few lanes are in the middle, with stems down to the hours.
  const lift = foot + Math.max(0, (height - TOP - foot - lanes * pitch) / 2)
  const ticks = { total, apart: 64, offsetMs: -new Date(from).getTimezoneOffset() * 60_000 }
  return (
    <Card className={`${ui.inside} ${style.ahead}`} aria-label="Next 12 hours">
      <header className={ui.row}>
        <h2>Next 12 hours</h2>
        <Legend ahead={ahead} />
      </header>
      <div className={style.timeline} ref={box} style={{ minHeight: TOP + lanes * LANE + foot }}>
        {stretchesOf(ahead).map(({ look, words, ...stretch }) => {
          const left = Math.max(0, xOf(stretch.from))
          const width = Math.min(total, xOf(stretch.to)) - left
          return (
            <div
              key={stretch.from}
              className={`${ui.clip} ${style.stretch}`}
              data-look={look}
              style={{ left, width }}
            >
              {words}
            </div>
          )
        })}
        {hourTicks({ from, to: to - (EDGE / total) * (to - from) }, ticks).map((at) => (
          <span key={at} className={style.tick} style={{ left: xOf(at) }}>
            {clockText(at)}
          </span>
        ))}
        {ahead.refills.map((at) => (
          <span key={at} className={style.refill} style={{ left: xOf(at) }} title={clockText(at)}>
            +1
          </span>
        ))}
        {firings.length === 0 && <p className={style.nothing}>Nothing is due in the next 12 hours.</p>}
        <ul>
          {firings.map(({ job, at, x, words }, index) => {
            const { lane = 0, label = 'right' } = places[index] ?? {}
            const bottom = lane < 0 ? 12 : lift + lane * pitch
            return (
              <li key={`${job.kind} ${job.id} ${at}`} style={{ left: x, bottom }}>
                {lane >= 0 && <s style={{ height: bottom - 18 }} />}
                {job.isOften && <b style={{ width: total - x }} />}
                <Mark job={job} title={titleOf(job, at)} words={words} label={label} />
              </li>
            )
          })}
        </ul>
      </div>
    </Card>
  )
}

/** In their order. Of a job that is due all the time, the first one. */
function firingsOf({ due }: Ahead, to: number) {
  return due
    .flatMap((job) => (job.isOften ? job.times.slice(0, 1) : job.times).map((at) => ({ job, at })))
    .filter(({ at }) => Date.parse(at) <= to)
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
    .map(({ job, at }) => ({ job, at, words: wordsOf(job) }))
}

function Legend({ ahead: { due, refills, left } }: { readonly ahead: Ahead }) {
  const kinds = new Set<string>(due.map(({ kind }) => kind))
  return (
    <ul className={ui.legend}>
      {['routine', 'reminder'].map(
        (kind) =>
          kinds.has(kind) && (
            <li key={kind} className={style.key} data-kind={kind}>
              <i /> {kind}
            </li>
          ),
      )}
      {due.some(({ silent }) => silent) && (
        <li className={style.key} data-look="silent">
          <i /> may not ping
        </li>
      )}
      {refills.length > 0 && <li>+1 ping refilled</li>}
      {left > 0 && <li>and {left} more jobs</li>}
    </ul>
  )
}

interface MarkProps {
  readonly job: Due
  readonly title: string
  readonly words: string
  readonly label: 'left' | 'right' | 'none'
}

function Mark({ job, title, words, label }: MarkProps) {
  return (
    <Link
      href={jobPath(job)}
      className={style.key}
      data-kind={job.kind}
      data-look={job.paused ? 'paused' : job.silent ? 'silent' : 'plain'}
      data-label={label}
      title={title}
      aria-label={`${words}: ${title}`}
    >
      <i />
      {label !== 'none' && <span>{words}</span>}
    </Link>
  )
}

/** When nobody is pinged. */
function stretchesOf({ quiet, paused, now, until }: Ahead) {
  const pause = paused === true ? 'until you resume' : paused && `until ${clockText(paused)}`
  return [
    ...quiet.map((one) => ({ ...one, look: 'quiet', words: 'quiet hours' })),
    ...(pause
      ? [
          {
            from: now,
            to: paused === true ? until : String(paused),
            look: 'paused',
            words: `paused ${pause}`,
          },
        ]
      : []),
  ]
}

function wordsOf({ title, silent, paused, isOften, times: [first = '', second = ''] }: Due): string {
  const name =
    title.length > LABEL_CHARS + 1
      ? `${title.slice(0, LABEL_CHARS - 1).trimEnd()}…`
      : title.replace(/\.$/, '')
  const often = isOften && `every ${Math.round((Date.parse(second) - Date.parse(first)) / 60_000)} min`
  return [name, often, paused ? 'paused' : silent && 'silent'].filter(Boolean).join(', ')
}

function titleOf({ kind, id, silent, background, paused }: Due, at: string): string {
  const how = [background ? 'in the background' : 'in main', silent && 'may not ping', paused && 'paused']
  return [`${kind} ${id}`, `${dayText(at)} ${clockText(at)}`, ...how].filter(Boolean).join(', ')
}

function useSize() {
  const box = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState({ width: 600, height: 0 })
  useEffect(() => {
    if (box.current === null) return
    const watch = new ResizeObserver(([entry]) => entry && setSize(entry.contentRect))
    watch.observe(box.current)
    return () => watch.disconnect()
  }, [])
  return [box, size] as const
}

let pen: CanvasRenderingContext2D | null | undefined

/** Of a label, in pixels. */
function widthOf(words: string): number {
  pen ??= document.createElement('canvas').getContext('2d')
  if (pen === null) return words.length * 7
  pen.font = `12.5px ${getComputedStyle(document.body).fontFamily}`
  return pen.measureText(words).width
}
