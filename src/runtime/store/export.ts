import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { toLine } from '../../event/codec.ts'
import { openSalvage, type Salvage } from '../../log/salvage.ts'
import { LogError } from '../../log/log.ts'
import { logFile, requireHome } from '../home/home.ts'
import { projections } from '../home/open-log.ts'

/** Positions that could not be read, one after the other and for the same reason. */
export interface Gap {
  readonly from: number
  readonly to: number
  readonly because: string
}

export interface Exported {
  readonly events: number
  readonly gaps: readonly Gap[]
  /** False when the newest events cannot be read, so that nobody knows how many there were. */
  readonly endIsSure: boolean
}

/** Takes one line after the other; the next comes when it is ready for it. */
export type LineTaker = (line: string) => Promise<void> | void

/** Brings out every event that can be read, in order, and says which cannot. Reads while another process writes. */
export async function exportLog(home: string, take: LineTaker): Promise<Exported> {
  requireHome(home)
  const salvage = openSalvage(logFile(home), projections)
  try {
    return await exportAll(salvage, take)
  } finally {
    salvage.close()
  }
}

async function exportAll(salvage: Salvage, take: LineTaker): Promise<Exported> {
  const gaps = new Gaps()
  let events = 0
  for (const found of salvage.positions()) {
    if (found.kind === 'missing') {
      gaps.add(found.position, found.because)
      continue
    }
    const taken = take(`${toLine(found.event)}\n`)
    if (taken !== undefined) await taken
    events++
  }
  return { events, gaps: gaps.all, endIsSure: salvage.endIsSure }
}

/** Collects unreadable positions as runs, since a damaged page takes many neighbours with it. */
export class Gaps {
  readonly all: Gap[] = []

  add(position: number, because: string): void {
    const last = this.all.at(-1)
    if (last?.to === position - 1 && last.because === because) {
      this.all[this.all.length - 1] = { ...last, to: position }
    } else this.all.push({ from: position, to: position, because })
  }
}

/** Exports into a file that has its name only when it is complete. */
export async function exportToFile(
  home: string,
  { file, overwrite }: { file: string; overwrite: 'refuse' | 'replace' },
): Promise<Exported> {
  if (overwrite === 'refuse' && existsSync(file)) {
    throw new LogError('failed', `${file} exists already; name another file, or overwrite it with --force`)
  }
  const unfinished = `${file}.${process.pid}.unfinished`
  try {
    const writer = new FileWriter(unfinished)
    const exported = await exportLog(home, (line) => writer.take(line)).finally(() => writer.close())
    renameSync(unfinished, file)
    return exported
  } catch (error) {
    rmSync(unfinished, { force: true })
    if (error instanceof LogError) throw error
    throw new LogError('failed', `the export to ${file} failed: ${(error as Error).message}`, error)
  }
}

const CHUNK = 256 * 1024

class FileWriter {
  readonly #file: number
  #waiting = ''

  constructor(file: string) {
    this.#file = openSync(file, 'w', 0o600)
  }

  take(line: string): void {
    this.#waiting += line
    if (this.#waiting.length >= CHUNK) this.#write()
  }

  close(): void {
    try {
      this.#write()
      fsyncSync(this.#file)
    } finally {
      closeSync(this.#file)
    }
  }

  #write(): void {
    for (let rest = Buffer.from(this.#waiting); rest.length > 0;) {
      rest = rest.subarray(writeSync(this.#file, rest))
    }
    this.#waiting = ''
  }
}
