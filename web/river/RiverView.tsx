import { useEffect, useMemo, useState } from 'react'
import { Page } from '../app/Page.tsx'
import { now } from '../api/now.ts'
import { Button } from '../ui/button.tsx'
import { Chip, Empty, Shown } from '../ui/surface.tsx'
import { useNow } from '../ui/time.tsx'
import style from './river.module.css'
import { River } from './River.tsx'
import { useScene } from './use-scene.ts'
import { endingNow, SPANS, wholeSpan, windowText, type Window } from './window.ts'

const NOTHING = (
  <Empty title="Nothing flows yet">
    <p>Say something in the chat. Then main begins here, and forks, runs and pings appear beside it.</p>
  </Empty>
)

export default function RiverView() {
  const { window, setWindow, follow } = useWindow()
  const read = useScene(window)
  const span = window.to - window.from
  return (
    <Page
      title="River"
      fill="bare"
      chips={<Chip className={style.span}>{windowText(window)}</Chip>}
      actions={Object.entries(SPANS).map(([name, ms]) => {
        const whole = wholeSpan(ms, now() - (read.data?.since ?? 0))
        const isShown = Math.abs(span / whole - 1) < 0.01
        return (
          <Button
            key={name}
            look={isShown ? 'main' : 'plain'}
            aria-pressed={isShown}
            onClick={() => follow(whole)}
          >
            {name}
          </Button>
        )
      })}
    >
      <Shown of={read} missing={NOTHING}>
        {(scene) => <River scene={scene} window={window} onWindow={setWindow} onNow={() => follow(span)} />}
      </Shown>
    </Page>
  )
}

const WRITE_MS = 400

/** The window that is shown. It follows the time unless it was moved; then its address keeps it. */
function useWindow() {
  const [given, setGiven] = useState(readAddress)
  const [span, setSpan] = useState<number>(SPANS.Week)
  const time = useNow()
  const window = useMemo(() => given ?? endingNow(span, time), [given, span, time])
  useEffect(() => {
    const timer = setTimeout(() => writeAddress(given), WRITE_MS)
    return () => clearTimeout(timer)
  }, [given])
  const follow = (wanted: number): void => {
    setSpan(wanted)
    setGiven(undefined)
  }
  return { window, setWindow: setGiven, follow }
}

function readAddress(): Window | undefined {
  const query = new URLSearchParams(location.search)
  const [from, to] = [Date.parse(query.get('from') ?? ''), Date.parse(query.get('to') ?? '')]
  return from < to ? { from, to } : undefined
}

function writeAddress(given: Window | undefined): void {
  const query = given && new URLSearchParams({ from: isoOf(given.from), to: isoOf(given.to) })
  history.replaceState(history.state, '', query ? `${location.pathname}?${query}` : location.pathname)
}

function isoOf(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+/, '')
}
