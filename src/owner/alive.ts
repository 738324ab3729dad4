import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const BEAT_MS = 60_000

/** Notes every minute that a process owns the log, until the returned function is called. */
export function keepAlive(home: string): () => void {
  const beat = (): void => {
    try {
      writeFileSync(aliveFile(home), '', { mode: 0o600 })
    } catch {
      // A disk that refuses this is told of where something is lost.
    }
  }
  beat()
  const timer = setInterval(beat, BEAT_MS).unref()
  return () => {
    clearInterval(timer)
    beat()
  }
}

/** When a process last owned the log, to the minute: the log only knows when something last happened. */
export function lastAlive(home: string): number {
  return statSync(aliveFile(home), { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function aliveFile(home: string): string {
  return join(home, 'run', 'alive')
}
