import { PassThrough, Writable } from 'node:stream'
import { TerminalGrid } from './terminal-grid.ts'

/** A terminal without a window: streams that a screen takes for one, and what a person would see in it. */
export interface FakeTerminal {
  readonly stdin: FakeStdin
  readonly stdout: FakeStdout
  /** The visible rows, without trailing spaces. */
  rows(): string[]
  /** Includes rows scrolled out of sight, without empty rows at the end. */
  text(): string
  /** Everything ever written to it. */
  written(): string
  cursor(): { readonly x: number; readonly y: number; readonly isShown: boolean }
  /** Every escape sequence that is neither a move, an erasure, a colour nor a known mode. */
  surprises(): readonly string[]
  /** Bells, desktop notifications and window titles. */
  calls(): readonly string[]
  isPasteBracketed(): boolean
  type(bytes: string): void
  resize(columns: number, rows: number): void
  /** Resolves once the visible rows match; checked after every write. */
  until(isSo: (text: string) => boolean, what?: string): Promise<void>
}

type FakeStdin = PassThrough & {
  isTTY: true
  isRaw: boolean
  setRawMode(isRaw: boolean): FakeStdin
  ref(): void
  unref(): void
}
type FakeStdout = Writable & { isTTY: true; columns: number; rows: number }

export function fakeTerminal(
  size: { columns: number; rows: number } = { columns: 80, rows: 24 },
): FakeTerminal {
  const grid = new TerminalGrid(size.columns, size.rows)
  const looks = new Set<() => void>()
  const written: string[] = []
  const stdout = Object.assign(
    new Writable({
      decodeStrings: false,
      write: (chunk, _, done) => {
        written.push(String(chunk))
        grid.write(String(chunk))
        for (const look of looks) look()
        done()
      },
    }),
    { isTTY: true as const, columns: size.columns, rows: size.rows },
  )
  const stdin = fakeStdin()
  return {
    stdin,
    stdout,
    rows: () => grid.rows(),
    text: () => grid.text(),
    written: () => written.join(''),
    cursor: () => grid.cursor(),
    surprises: () => grid.surprises,
    calls: () => grid.calls,
    isPasteBracketed: () => grid.modes.has('?2004'),
    type: (bytes) => void stdin.write(bytes),
    resize: (columns, rows) => {
      grid.resize(columns, rows)
      Object.assign(stdout, { columns, rows })
      stdout.emit('resize')
    },
    until: (isSo, what = 'what was expected') =>
      waitFor(
        () => isSo(grid.rows().join('\n')),
        looks,
        () => `${what}, but:\n${grid.text()}`,
      ),
  }
}

function fakeStdin(): FakeStdin {
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true as const,
    isRaw: false,
    setRawMode: (isRaw: boolean) => {
      stdin.isRaw = isRaw
      return stdin
    },
    ref: () => undefined,
    unref: () => undefined,
  }) as FakeStdin
  return stdin
}

const PATIENCE_MS = 300_000

function waitFor(isSo: () => boolean, looks: Set<() => void>, what: () => string): Promise<void> {
  if (isSo()) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const end = (): void => {
      looks.delete(look)
      clearTimeout(timer)
    }
    const look = (): void => {
      if (!isSo()) return
      end()
      resolve()
    }
    const timer = setTimeout(() => {
      end()
      reject(new Error(`the screen never showed ${what()}`))
    }, PATIENCE_MS)
    looks.add(look)
  })
}
