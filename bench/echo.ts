import { setTimeout as sleep } from 'node:timers/promises'
import { stopwatchMs, systemClock } from '../src/base/clock.ts'
import { openScreen } from '../src/channel/terminal/screen/screen.ts'
import { fakePort } from '../test/stand-ins/terminal-port.ts'
import { fakeTerminal } from '../test/stand-ins/terminal.ts'
import { median } from './measure.ts'
import { atMost, type Measure } from './report.ts'

const PIECES_PER_SECOND = 500
const KEYS = 100
const MEDIAN_MS_MAX = 50

/** How long a key takes to be seen while a model writes: from the byte that comes in to the frame that shows it. */
export async function measureEcho(): Promise<Measure[]> {
  const terminal = fakeTerminal({ columns: 80, rows: 24 })
  const port = fakePort()
  const screen = openScreen(port, terminal, { colour: 'plain', clock: systemClock })
  port.tell({ kind: 'turn-started', at: systemClock() })
  const stream = streaming((text) => port.tell({ kind: 'piece', text }), PIECES_PER_SECOND)
  await sleep(WARM_UP_MS)
  const spans: number[] = []
  for (let count = 0; count < KEYS; count++) {
    const typed = WORD.slice(0, 1 + (count % WORD.length))
    const startedAt = stopwatchMs()
    terminal.type(typed.slice(-1))
    await terminal.until((text) => text.includes(`│ ${typed}\n`), typed)
    spans.push(stopwatchMs() - startedAt)
    if (typed === WORD) terminal.type(DELETE_LINE)
    // Keys of a person come at any moment between two frames.
    await sleep(20 + ((count * 13) % 50))
  }
  stream.end()
  screen.close()
  await screen.finished
  const measure = `a key is seen while a model writes ${PIECES_PER_SECOND} pieces a second`
  return [{ group: 'echo', measure, value: median(spans), unit: 'ms', goal: atMost(MEDIAN_MS_MAX, 'value') }]
}

const WARM_UP_MS = 500
const WORD = 'abcdefghijklmnopqrstuvwxyz'
const DELETE_LINE = '\u0015'
const PARAGRAPH =
  'A **branch** is a line of conversation, `main` or a fork.\n\n- one\n- two\n\n```ts\nconst a = 1\nconst b = 2\n```\n\nAnd some more prose after it, which goes on for a while and has to be wrapped. '

/** Pieces at an even pace; what a late timer missed is made up for. */
function streaming(say: (text: string) => void, perSecond: number): { end(): void } {
  const startedAt = stopwatchMs()
  let said = 0
  const timer = setInterval(() => {
    const due = Math.floor(((stopwatchMs() - startedAt) * perSecond) / 1_000)
    for (; said < due; said++) say(PARAGRAPH.slice((said * 4) % PARAGRAPH.length).slice(0, 4))
  }, 2)
  return { end: () => clearInterval(timer) }
}
