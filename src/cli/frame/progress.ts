import { stopwatchMs } from '../../base/clock.ts'

const EVERY_MS = 100

export interface ProgressLine {
  show(text: string): void
  /** Removes the line, before anything else is printed. */
  clear(): void
}

/** A progress line on a terminal; shows nothing elsewhere. */
export function progressLine(stream: NodeJS.WriteStream = process.stderr): ProgressLine {
  let shownAt = stopwatchMs() + EVERY_MS
  let isShown = false
  return {
    show(text) {
      if (!stream.isTTY || stopwatchMs() < shownAt) return
      shownAt = stopwatchMs() + EVERY_MS
      isShown = true
      stream.write(`\r\u001B[K${text}`)
    },
    clear() {
      if (isShown) stream.write('\r\u001B[K')
      isShown = false
    },
  }
}
