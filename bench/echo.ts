import { setTimeout as sleep } from 'node:timers/promises'
import { stopwatchMs, systemClock } from '../src/base/clock.ts'
import { openScreen } from '../src/channel/terminal/screen/screen.ts'
import { fakePort } from '../test/stand-ins/terminal-port.ts'
import { fakeTerminal } from '../test/stand-ins/terminal.ts'

export interface Echo {
  readonly keys: number
  readonly pieces: number
  readonly medianMs: number
  readonly p95Ms: number
  readonly worstMs: number
}

/** How long a key takes to be seen while a model writes: from the byte that comes in to the frame that shows it. */
export async function measureEcho({
  piecesPerSecond = 500,
  keys = 100,
  columns = 80,
  rows = 24,
} = {}): Promise<Echo> {
  const terminal = fakeTerminal({ columns, rows })
  const port = fakePort()
  const screen = openScreen(port, terminal, { colour: 'plain', clock: systemClock })
  port.tell({ kind: 'turn-started', at: systemClock() })
  const stream = streaming((text) => port.tell({ kind: 'piece', text }), piecesPerSecond)
  await sleep(WARM_UP_MS)
  const spans: number[] = []
  for (let count = 0; count < keys; count++) {
    const typed = WORD.slice(0, 1 + (count % WORD.length))
    const startedAt = stopwatchMs()
    terminal.type(typed.slice(-1))
    await terminal.until((text) => text.includes(`│ ${typed}\n`), typed)
    spans.push(stopwatchMs() - startedAt)
    if (typed === WORD) terminal.type(DELETE_LINE)
    // Keys of a person come at any moment between two frames.
    await sleep(20 + ((count * 13) % 50))
  }
  const pieces = stream.end()
  screen.close()
  await screen.finished
  return { keys, pieces, ...summary(spans) }
}

const WARM_UP_MS = 500
const WORD = 'abcdefghijklmnopqrstuvwxyz'
const DELETE_LINE = '\u0015'
const PARAGRAPH =
  'A **branch** is a line of conversation, `main` or a fork.\n\n- one\n- two\n\n```ts\nconst a = 1\nconst b = 2\n```\n\nAnd some more prose after it, which goes on for a while and has to be wrapped. '

/** Pieces at an even pace; what a late timer missed is made up for. */
function streaming(say: (text: string) => void, perSecond: number): { end(): number } {
  const startedAt = stopwatchMs()
  let said = 0
  const timer = setInterval(() => {
    const due = Math.floor(((stopwatchMs() - startedAt) * perSecond) / 1_000)
    for (; said < due; said++) say(PARAGRAPH.slice((said * 4) % PARAGRAPH.length).slice(0, 4))
  }, 2)
  return {
    end: () => {
      clearInterval(timer)
      return said
    },
  }
}

function summary(spans: readonly number[]): { medianMs: number; p95Ms: number; worstMs: number } {
  const sorted = spans.toSorted((a, b) => a - b)
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { medianMs: at(0.5), p95Ms: at(0.95), worstMs: at(1) }
}
