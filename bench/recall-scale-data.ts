import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stopwatchMs } from '../src/base/clock.ts'
import { seededRandom } from '../src/base/random.ts'
import { estimateTokens } from '../src/base/tokens.ts'
import { isRefusal } from '../src/context/decision.ts'
import { createBranch } from '../src/context/fork.ts'
import { addMessage } from '../src/context/step.ts'
import { makeBranchId, type BranchId, type Position } from '../src/event/id.ts'
import type { Writing } from '../src/event/table.ts'
import type { Log } from '../src/log/log.ts'
import { Follower } from '../src/recall/index/follower.ts'
import { INDEX_VERSION } from '../src/recall/index/index-schema.ts'
import { openTextIndex } from '../src/recall/index/sqlite-index.ts'
import { documentPlaces, openVectors } from '../src/recall/vector/sqlite-vectors.ts'
import { staticEncoder } from '../src/recall/vector/static-encoder.ts'
import { VectorFollower } from '../src/recall/vector/vector-follower.ts'
import { openForWriting } from '../src/runtime/home/open-log.ts'
import { Progress } from './progress.ts'
import { PEOPLE, TALK_VERSION, talk, type Said } from './recall-scale-talk.ts'

/** How a home was made, and how large it became. */
export interface Built {
  readonly index: string
  readonly messages: number
  readonly writtenPerSecond: number
  readonly indexedPerSecond: number
  readonly vectorsPerSecond: number
  readonly logBytes: number
  readonly indexBytes: number
  readonly vectorBytes: number
  /** By the number of their person. */
  readonly branches: readonly BranchId[]
  readonly end: number
  readonly newestAt: number
}

export interface ScaleHome {
  readonly home: string
  readonly built: Built
  readonly isReused: boolean
}

const SEED = 1
const PER_WRITE = 500
const AUTHOR = { by: 'policy', name: 'bench' } as const
const embedder = staticEncoder()
const INDEX_ID = `${INDEX_VERSION} ${embedder.id}`

/** A home with so many messages: the one of an earlier run, or a new one; `isFresh` indexes an old one again. */
export async function scaleHome(messages: number, { isFresh }: { isFresh: boolean }): Promise<ScaleHome> {
  const home = join(tmpdir(), 'mainstem-recall-scale', `${TALK_VERSION}-${messages}`)
  const figures = join(home, 'built.json')
  const before = existsSync(figures) ? (JSON.parse(readFileSync(figures, 'utf8')) as Built) : undefined
  if (before?.index === INDEX_ID && !isFresh) return { home, built: before, isReused: true }
  const written = before ?? (await write(home, messages))
  removeIndex(home)
  const built = { ...written, ...(await index(home, messages)), ...sizesOf(home) }
  writeFileSync(figures, JSON.stringify(built))
  return { home, built, isReused: false }
}

type WrittenLog = Pick<Built, 'messages' | 'writtenPerSecond' | 'branches' | 'end' | 'newestAt'>

async function write(home: string, messages: number): Promise<WrittenLog> {
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home, { recursive: true })
  const log = openForWriting({ home, command: 'bench:recall-scale' })
  const progress = new Progress(`writing ${messages.toLocaleString('en')} messages`)
  const branches = await makeBranches(log)
  const saying = talk(SEED)
  let newestAt = 0
  const startedAt = stopwatchMs()
  for (let done = 0; done < messages; done += PER_WRITE) {
    await log.write((writing) => {
      for (let at = done; at < Math.min(messages, done + PER_WRITE); at++) {
        const said = saying.next().value
        newestAt = said.at
        say(writing, branches, said)
      }
    })
    progress.update(done / messages)
  }
  const writtenPerSecond = (messages * 1_000) / (stopwatchMs() - startedAt)
  const end = await log.read((reader) => reader.end)
  await log.close()
  progress.update(1)
  return { messages, writtenPerSecond, branches, end, newestAt }
}

async function makeBranches(log: Log): Promise<BranchId[]> {
  const random = seededRandom(SEED)
  const branches = PEOPLE.map(() => makeBranchId(0, random))
  await log.write((writing) => {
    for (const [person, child] of branches.entries()) {
      const title = PEOPLE[person] as string
      writing.append(createBranch({ child, mode: 'main', title, at: 0, author: AUTHOR }).draft)
    }
  })
  return branches
}

/** As the product does: what a person says is admitted and then taken into the branch. */
export function say(writing: Writing, branches: readonly BranchId[], { person, role, at, text }: Said): void {
  const branch = branches[person] as BranchId
  const message = role === 'user' ? { role, text } : { role, text, calls: [] }
  const took =
    role === 'user' ? admit(writing, branch, { name: PEOPLE[person] as string, at, text }) : undefined
  const added = addMessage(writing, { branch, at, tokens: estimateTokens(text), message })
  if (isRefusal(added)) throw new Error(`a message does not fit: ${added.refused}`)
  writing.append(took === undefined ? added.draft : { ...added.draft, took })
}

function admit(
  writing: Writing,
  branch: BranchId,
  { name, at, text }: { name: string; at: number; text: string },
): Position {
  const source = { from: 'person', channel: 'bench', conversation: branch, person: name, key: null } as const
  return writing.append({ kind: 'inbound-admitted', branch, at, v: 1, source, form: 'message', text })
}

async function index(
  home: string,
  messages: number,
): Promise<Pick<Built, 'index' | 'indexedPerSecond' | 'vectorsPerSecond'>> {
  const place = { file: join(home, 'recall.db') }
  const log = openForWriting({ home, command: 'bench:recall-scale' })
  const text = openTextIndex(place)
  const vectors = openVectors({ place, embedder, places: documentPlaces(text) })
  const follower = new Follower({ log, index: text })
  const vectorFollower = new VectorFollower({ log, index: text, vectors, embedder })
  const rates: number[] = []
  for (const [name, one] of [['indexing', follower] as const, ['vectors', vectorFollower] as const]) {
    const bar = new Progress(name)
    const startedAt = stopwatchMs()
    await one.catchUp({ progress: (done, all) => bar.update(done / all) })
    rates.push((messages * 1_000) / (stopwatchMs() - startedAt))
    await one.close()
  }
  vectors.close()
  text.close()
  await log.close()
  const [indexedPerSecond = 0, vectorsPerSecond = 0] = rates
  return { index: INDEX_ID, indexedPerSecond, vectorsPerSecond }
}

const INDEX_FILES = /^recall\.db/
const VECTOR_FILES = /^recall-vectors\.db/
const LOG_FILES = /^log\.db/

function removeIndex(home: string): void {
  for (const name of readdirSync(home))
    if (INDEX_FILES.test(name) || VECTOR_FILES.test(name)) rmSync(join(home, name))
}

function sizesOf(home: string): Pick<Built, 'logBytes' | 'indexBytes' | 'vectorBytes'> {
  const bytes = (names: RegExp) =>
    readdirSync(home)
      .filter((name) => names.test(name))
      .reduce((sum, name) => sum + statSync(join(home, name)).size, 0)
  return { logBytes: bytes(LOG_FILES), indexBytes: bytes(INDEX_FILES), vectorBytes: bytes(VECTOR_FILES) }
}
