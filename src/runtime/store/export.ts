import { existsSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { newKey } from '../../base/random.ts'
import { toLine } from '../../event/codec.ts'
import { openSalvage } from '../../log/salvage.ts'
import { LogError } from '../../log/log.ts'
import { logFile, requireHome } from '../home/home.ts'
import { projections } from '../home/open-log.ts'
import { fileLines, NamedFiles } from './stored-files.ts'

/** Consecutive positions that cannot be read for the same reason. */
export interface Gap {
  readonly from: number
  readonly to: number
  readonly because: string
}

export function gapText({ from, to, because }: Gap): string {
  return `${from === to ? `position ${from}` : `positions ${from} to ${to}`} (${because})`
}

export type Exported = Awaited<ReturnType<typeof exportLog>>

/** Exports every readable event, in order, then the files they name, and lists the gaps. Works while another process writes. */
export async function exportLog(home: string, take: (line: string) => Promise<void> | void) {
  requireHome(home)
  const salvage = openSalvage(logFile(home), projections)
  const gaps = new Gaps()
  const named = new NamedFiles()
  let events = 0
  try {
    for (const found of salvage.positions()) {
      if (found.kind === 'missing') {
        gaps.add(found.position, found.because)
        continue
      }
      const taken = take(`${toLine(found.event)}\n`)
      if (taken !== undefined) await taken
      named.take(found.event)
      events++
    }
    for await (const line of fileLines(home, named)) await take(line)
    // The end is not sure when the newest events cannot be read, so their number is unknown.
    return { events, gaps: gaps.all, endIsSure: salvage.endIsSure }
  } finally {
    salvage.close()
  }
}

/** Joins neighbouring unreadable positions: a damaged page affects many. */
export class Gaps {
  readonly all: Gap[] = []

  add(position: number, because: string): void {
    const last = this.all.at(-1)
    if (last?.to === position - 1 && last.because === because) {
      this.all[this.all.length - 1] = { ...last, to: position }
    } else this.all.push({ from: position, to: position, because })
  }
}

/** Exports into a file, which gets its name only once it is complete. */
export async function exportToFile(
  home: string,
  { file, overwrite }: { file: string; overwrite: 'refuse' | 'replace' },
): Promise<Exported> {
  if (overwrite === 'refuse' && existsSync(file)) {
    throw new LogError('failed', `${file} already exists; choose another file, or overwrite it with --force`)
  }
  // A name that nobody guesses: in a shared folder, somebody else could have made a file of theirs for it.
  const unfinished = `${file}.${newKey()}.unfinished`
  try {
    const exported = await exportInto(home, unfinished)
    renameSync(unfinished, file)
    return exported
  } catch (error) {
    rmSync(unfinished, { force: true })
    if (error instanceof LogError) throw error
    throw new LogError('failed', `the export to ${file} failed: ${(error as Error).message}`, error)
  }
}

const CHUNK = 256 * 1024

async function exportInto(home: string, path: string): Promise<Exported> {
  await using file = await open(path, 'wx', 0o600)
  let waiting = ''
  const write = (): Promise<void> => {
    const text = waiting
    waiting = ''
    return file.appendFile(text)
  }
  const exported = await exportLog(home, (line) => {
    waiting += line
    return waiting.length < CHUNK ? undefined : write()
  })
  await write()
  await file.sync()
  return exported
}
