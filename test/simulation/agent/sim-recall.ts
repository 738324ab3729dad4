import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '../../../src/log/log.ts'
import { documentsOf, type Document } from '../../../src/recall/contract/document.ts'
import { openTextIndex } from '../../../src/recall/index/sqlite-index.ts'
import type { TextIndex } from '../../../src/recall/contract/text-index.ts'
import { LiveRecall } from '../../../src/recall/live.ts'
import type { Found, Recall, Search } from '../../../src/recall/contract/recall.ts'
import { termsOf } from '../../../src/recall/words/words.ts'
import { hold } from '../witness.ts'
import type { AgentLife } from './agent-life.ts'
import type { Around } from './around.ts'

const NEVER_MS = 1_000_000_000

/** The search index: in memory it dies with its process, in a file it stays unless somebody damages it. */
export class RecallDisk {
  readonly #folder: string | undefined
  readonly #around: Around
  #opened: TextIndex[] = []

  constructor(kind: 'memory' | 'file', around: Around) {
    this.#folder = kind === 'file' ? mkdtempSync(join(tmpdir(), 'mainstem-recall-')) : undefined
    this.#around = around
  }

  /** The product's recall in a new process, watched by the judge. */
  open(log: Log, life: AgentLife): Recall {
    // The previous process is dead, and its files are closed.
    this.#close()
    const file = this.#folder && join(this.#folder, 'recall.db')
    const open = async () => {
      const index = openTextIndex(file === undefined ? 'memory' : { file })
      this.#opened.push(index)
      const inode = file && inodeOf(file)
      const isGone = () => file !== undefined && inodeOf(file) !== inode
      return { index, meaning: null, isGone }
    }
    const broken = (error: unknown): void => void (this.#around.broken ??= error)
    // It follows the log by real time, which would make a life depend on how fast the machine is: searches index first.
    const pauses = { idleMs: NEVER_MS, retryMs: NEVER_MS, quietMs: NEVER_MS }
    const recall = new LiveRecall({ log, open, weights: () => ({ alpha: null, decay: 0.1 }), pauses }, broken)
    return this.#judged(recall, life)
  }

  /** Somebody cleans up, or the disk fails. */
  harm(): void {
    if (this.#folder === undefined) return
    const { chance, happenings, story } = this.#around
    const file = join(this.#folder, 'recall.db')
    const isThere = statSync(file, { throwIfNoEntry: false }) !== undefined
    if (!isThere) return
    const how = chance.pick(['indexes deleted', 'indexes cut off'] as const)
    story.push(`-- ${how} --`)
    happenings.add(how)
    if (how === 'indexes cut off') return truncateSync(file, Math.floor(statSync(file).size / 2))
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
  }

  remove(): void {
    this.#close()
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true })
  }

  #close(): void {
    for (const index of this.#opened) index.close()
    this.#opened = []
  }

  #judged(recall: Recall, life: AgentLife): Recall {
    let isClosed = false
    return {
      search: async (search) => {
        const end = this.#around.laws.events.length
        const found = await life.untilDeath(recall.search(search))
        // A closing process does not wait for results that nobody needs.
        if (!isClosed) this.#around.judge(() => this.#check(search, found, end))
        return found
      },
      people: () => life.untilDeath(recall.people()),
      catchUp: () => life.untilDeath(recall.catchUp()),
      close: () => {
        isClosed = true
        return recall.close()
      },
    }
  }

  /** RECALL2: everything committed before, up to `end`, that has the word is found, or the hits fill the limit. */
  #check(search: Search, { hits }: Found, end: number): void {
    const { laws, folded, happenings } = this.#around
    const allowed = laws.events.flatMap((event) => documentsOf(folded, event)).filter(isWithin(search))
    const places = new Set(allowed.map(({ position }) => position))
    for (const { position } of hits)
      hold(places.has(position), `a search found ${position}, which it may not`)
    const [term, ...others] = termsOf(search.text)
    if (term === undefined || others.length > 0) return
    const wanted = allowed.filter(({ position, text }) => position <= end && termsOf(text).includes(term))
    const { askedAt = Infinity } = search
    // A word that only the question has was never said before.
    if (!wanted.some(({ position }) => position < askedAt)) return
    happenings.add('searches for a word that somebody said')
    const found = new Set(hits.map(({ position }) => position))
    const missing = wanted.find(({ position }) => !found.has(position))
    // Messages around a hit are found too, and may come before another hit.
    const isFull = hits.length >= search.limit && wanted.some(({ position }) => found.has(position))
    hold(
      missing === undefined || isFull,
      `[RECALL2] '${search.text}' stands at ${missing?.position}, unfound`,
    )
  }
}

function isWithin({
  within,
  since = 0,
  until = Infinity,
  speakers,
  withEchoes = false,
}: Search): (document: Document) => boolean {
  return ({ branch, position, part, at, kind, speaker: said }) => {
    if (kind === 'echo' && !withEchoes) return false
    if (at < since || at > until || (speakers !== undefined && !speakers.includes(said))) return false
    const places = within(branch)
    const isShown = kind === 'update' && part > 0
    if (places === 'all') return !isShown
    return (
      kind !== 'summary' &&
      (kind !== 'update' || isShown) &&
      places.some(({ from, to }) => from <= position && position <= to)
    )
  }
}

function inodeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? 0
}
