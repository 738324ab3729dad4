import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { clockText, dayText, useNow } from '../ui/time.tsx'
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
  const firings = ahead.due
    .flatMap((job) => (job.isOften ? job.times.slice(0, 1) : job.times).map((at) => ({ job, at })))
    .filter(({ at }) => Date.parse(at) <= to)
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
    .map(({ job, at }) => ({ job, at, x: Math.max(0, xOf(at)), words: wordsOf(job) }))
  const places = placeMarks(
    firings.map(({ job, x, words }) => ({ x, width: widthOf(words), isOften: job.isOften })),
    total,
  )
  const lanes = Math.max(2, ...places.map(({ lane }) => lane + 1))
  const pitch = Math.min(LANE_MAX, Math.max(LANE, (height - TOP - foot) / lanes))
  // Few lanes are in the middle, with stems down to the hours.
  const lift = Math.max(0, (height - TOP - foot - lanes * pitch) / 2)
  return (
    <div className={style.timeline} ref={box} style={{ minHeight: TOP + lanes * LANE + foot }}>
      {ahead.quiet.map((quiet) => (
        <Stretch key={quiet.from} look="quiet" from={xOf(quiet.from)} to={xOf(quiet.to)} total={total}>
          quiet hours
        </Stretch>
      ))}
      {ahead.paused !== false && (
        <Stretch look="paused" from={0} to={ahead.paused === true ? total : xOf(ahead.paused)} total={total}>
          {ahead.paused === true ? 'paused until you resume' : `paused until ${clockText(ahead.paused)}`}
        </Stretch>
      )}
      <Hours from={from} to={to} total={total} refills={ahead.refills} />
      {firings.length === 0 && <p className={style.nothing}>Nothing is due in the next 12 hours.</p>}
      <ul>
        {firings.map(({ job, at, x, words }, index) => {
          const { lane = 0, label = 'right' } = places[index] ?? {}
          const stem = lane < 0 ? 0 : lift + lane * pitch
          return (
            <li key={`${job.kind} ${job.id} ${at}`} style={{ left: x, bottom: lane < 0 ? 12 : foot + stem }}>
              {lane >= 0 && <s className={style.stem} style={{ height: stem + foot - 18 }} />}
              <Mark job={job} at={at} words={label === 'none' ? '' : words} label={label} />
              {job.isOften && <b className={style.often} style={{ width: Math.max(0, total - x) }} />}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

interface MarkProps {
  readonly job: Due
  readonly at: string
  readonly words: string
  readonly label: 'left' | 'right' | 'none'
}

function Mark({ job, at, words, label }: MarkProps) {
  const title = titleOf(job, at)
  return (
    <Link
      href={jobPath(job)}
      className={style.mark}
      data-kind={job.kind}
      data-look={job.paused ? 'paused' : job.silent ? 'silent' : 'plain'}
      data-label={label}
      title={title}
      aria-label={words === '' ? title : `${words}: ${title}`}
    >
      <i />
      {words !== '' && <span>{words}</span>}
    </Link>
  )
}

interface HoursProps {
  readonly from: number
  readonly to: number
  readonly total: number
  readonly refills: Ahead['refills']
}

function Hours({ from, to, total, refills }: HoursProps) {
  const leftOf = (at: number): number => ((at - from) / (to - from)) * total
  const offsetMs = -new Date(from).getTimezoneOffset() * 60_000
  const end = to - (EDGE / total) * (to - from)
  return (
    <>
      {hourTicks({ from, to: end }, { total, apart: 64, offsetMs }).map((at) => (
        <span key={at} className={style.tick} style={{ left: leftOf(at) }}>
          {clockText(at)}
        </span>
      ))}
      {refills.map((at) => (
        <span
          key={at}
          className={style.refill}
          style={{ left: leftOf(Date.parse(at)) }}
          title={`One more ping at ${clockText(at)}`}
        >
          +1
        </span>
      ))}
    </>
  )
}

interface StretchProps {
  readonly look: 'quiet' | 'paused'
  readonly from: number
  readonly to: number
  readonly total: number
  readonly children: string
}

function Stretch({ look, from, to, total, children }: StretchProps) {
  const [left, right] = [Math.max(0, from), Math.min(total, to)]
  if (right <= left) return null
  return (
    <div className={style.stretch} data-look={look} style={{ left, width: right - left }}>
      <span>{children}</span>
    </div>
  )
}

function wordsOf({ title, silent, paused, isOften, times: [first, second] }: Due): string {
  const name =
    title.length > LABEL_CHARS + 1
      ? `${title.slice(0, LABEL_CHARS - 1).trimEnd()}…`
      : title.replace(/\.$/, '')
  const every = Math.round((Date.parse(second ?? '') - Date.parse(first ?? '')) / 60_000)
  const more = [
    ...(isOften ? [`every ${every} min`] : []),
    ...(paused ? ['paused'] : silent ? ['silent'] : []),
  ]
  return [name, ...more].join(', ')
}

function titleOf({ kind, id, silent, background, paused }: Due, at: string): string {
  const how = [
    background ? 'in the background' : 'in main',
    ...(silent ? ['may not ping'] : []),
    ...(paused ? ['paused'] : []),
  ]
  return `${kind} ${id}, ${dayText(at)} ${clockText(at)}, ${how.join(', ')}`
}

interface Size {
  readonly width: number
  readonly height: number
}

function useSize(): [React.RefObject<HTMLDivElement | null>, Size] {
  const box = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState<Size>({ width: 600, height: 0 })
  useEffect(() => {
    if (box.current === null) return
    const watch = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setSize(entry.contentRect)
    })
    watch.observe(box.current)
    return () => watch.disconnect()
  }, [])
  return [box, size]
}

let pen: CanvasRenderingContext2D | null | undefined

/** Of a label, in pixels. */
function widthOf(words: string): number {
  pen ??= document.createElement('canvas').getContext('2d')
  if (pen === null) return words.length * 7
  const { fontFamily } = getComputedStyle(document.body)
  pen.font = `12.5px ${fontFamily}`
  return pen.measureText(words).width
}
