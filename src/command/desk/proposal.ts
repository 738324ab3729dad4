import { approvalNumbered, type Approval } from '../../agent/state/approvals.ts'
import { openList } from '../../agent/state/ledger.ts'
import { say } from '../../agent/state/outbox.ts'
import { contentOf } from '../../agent/state/setup.ts'
import { sentence } from '../../base/words.ts'
import { getBranch } from '../../context/branch.ts'
import type { Author } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import type { Writing } from '../../event/table.ts'
import {
  addLine,
  LINE_CHARACTERS_MAX,
  MEMORY_FILE,
  memoryLines,
  plainLine,
  replaceLine,
} from '../../memory/memory-file.ts'
import { PathError } from '../../tool/files/path.ts'
import { conclude, type Desk, type Order, type Outcome } from './desk.ts'
import { setupOrProblem, takeSetup, type ReadSetup } from './setup-change.ts'
import { addressNear, personIn } from '../../agent/state/person.ts'

const lasts = new WeakMap<Desk, Promise<unknown>>()

/** Performs and concludes commands about proposals and memory one by one. */
export function inTurn(desk: Desk, order: Order, perform: () => Promise<Outcome>): Promise<Outcome> {
  return oneByOne(desk, async () => ({ concluded: await conclude(desk, order, await perform()) }))
}

/**
 * Two at once, from two conversations, would lose a line that one read before the other wrote it, write what was denied
 * meanwhile, or replace the setup by an older one.
 */
function oneByOne<T>(desk: Desk, work: () => Promise<T>): Promise<T> {
  const done = (lasts.get(desk) ?? Promise.resolve()).then(work)
  lasts.set(
    desk,
    done.catch(() => undefined),
  )
  return done
}

/** The result, and the setup of prompts from then on. */
export interface Carried {
  readonly text: string
  readonly problem: string | null
  readonly setup: ReadSetup | undefined
}

/** Why it cannot be carried out now. Checked before the decision, so that it can still be denied. */
export async function obstacleTo(
  desk: Desk,
  { request: { wish, branch } }: Approval,
): Promise<string | undefined> {
  if (wish.kind !== 'file') return undefined
  try {
    return (await changeOf(await deskIn(desk, branch), wish)).kind === 'overtaken'
      ? overtaken(wish.path)
      : undefined
  } catch (error) {
    return problemOf(error)
  }
}

/** The desk of the person whose branch it is: what is approved for a guest is done with the guest's files. */
async function deskIn(desk: Desk, branch: BranchId): Promise<Desk> {
  return desk.deskOf(await desk.log.read((reader) => personIn(reader, branch)))
}

/**
 * Carries out what was approved. The log already has the decision: after a crash the next process carries it out again,
 * and the second time changes nothing.
 */
export async function carryOut(
  approver: Desk,
  { request: { wish, branch }, decided }: Approval,
): Promise<Carried> {
  const desk = await deskIn(approver, branch)
  let text: string
  try {
    if (wish.kind === 'call') throw new TypeError('a call is carried out by its turn')
    text =
      wish.kind === 'memory'
        ? await remember(desk, { line: decided?.instead ?? wish.line, replaces: wish.replaces })
        : await change(desk, wish)
  } catch (error) {
    const problem = problemOf(error)
    return { text: problem, problem, setup: undefined }
  }
  const setup = await setupOrProblem(desk, 'files')
  if (typeof setup !== 'string') return { text, problem: null, setup }
  return { text: `${text} Takes effect after /reload: ${sentence(setup)}`, problem: null, setup: undefined }
}

/** Notes the result, takes the new setup, and tells the model in a note that opens no turn. */
export function recordCarried(
  writing: Writing,
  { request: { branch, number } }: Approval,
  { text, problem, setup, at, author }: Carried & { readonly at: number; readonly author: Author },
): void {
  writing.append({ kind: 'proposal-done', branch, at, number, problem })
  if (setup !== undefined) takeSetup(writing, setup, { branch, at, author })
  tellModel(writing, { branch, at, text: `Approval ${number}: ${text}` })
}

export function tellModel(
  writing: Writing,
  { branch, at, text }: { branch: Approval['request']['branch']; at: number; text: string },
): void {
  if (getBranch(writing, branch).state.kind === 'ended') return
  const source = { from: 'host', tag: 'system' } as const
  writing.append({ kind: 'inbound-admitted', branch, at, source, form: 'note', text })
}

/** Finishes what an earlier process left approved. Commands from an inbox are performed at the same time. */
export function finishProposals(desk: Desk): Promise<void> {
  return oneByOne(desk, () => finishAll(desk))
}

async function finishAll(desk: Desk): Promise<void> {
  const numbers = await desk.log.read((reader) => openList(reader, 'undone'))
  for (const number of numbers) {
    const approval = await desk.log.read((reader) => approvalNumbered(reader, number))
    if (approval === undefined) continue
    const carried = await carryOut(desk, approval)
    const at = desk.now()
    const author = { by: 'policy', name: 'restart' } as const
    const { branch } = approval.request
    await desk.log.write((writing) => {
      recordCarried(writing, approval, { ...carried, at, author })
      const to = addressNear(writing, branch)
      if (to === undefined) return
      const text = `Approval ${number}, after a restart: ${carried.text}`
      say(writing, { branch, at, to, notice: 'approval-carried-out', text, cause: approval.request.position })
    })
    desk.agent().wake([branch])
    desk.agent().deliver()
  }
}

/** Errors of the disk and of the person's files are theirs to fix; anything else is a bug. */
function problemOf(error: unknown): string {
  if (error instanceof PathError) return `It could not be written: ${sentence(error.message)}`
  throw error
}

interface FileWish {
  readonly path: string
  readonly before: string | null
  readonly after: string
}

async function changeOf(
  { log, workspace }: Desk,
  { path, before, after }: FileWish,
): Promise<{ readonly kind: 'done' | 'overtaken' } | { readonly kind: 'due'; readonly text: string }> {
  const [old, wanted] = await log.read((reader) => [
    before === null ? undefined : contentOf(reader, before),
    contentOf(reader, after),
  ])
  const now = await workspace.read(path)
  if (now === wanted) return { kind: 'done' }
  return now === old ? { kind: 'due', text: wanted } : { kind: 'overtaken' }
}

async function change(desk: Desk, wish: FileWish): Promise<string> {
  const found = await changeOf(desk, wish)
  if (found.kind === 'overtaken') throw new PathError(overtaken(wish.path))
  if (found.kind === 'due') await desk.workspace.write(wish.path, found.text)
  return `Wrote ${wish.path}.`
}

function overtaken(path: string): string {
  return `${path} was changed after this was proposed, and that change would be lost. Deny it and ask again.`
}

/**
 * Replaces memory.md by what a person made of it, unless it is no longer the file that they saw. The model sees it from
 * the next turn on; `problem` says why it does not.
 */
export function rewriteMemory(
  desk: Desk,
  { text, isSeen, branch }: { text: string; isSeen: (now: string) => boolean; branch: BranchId },
): Promise<{ readonly kind: 'overtaken' | 'saved'; readonly problem: string | null }> {
  return oneByOne(desk, async () => {
    const now = (await desk.workspace.read(MEMORY_FILE)) ?? ''
    if (now !== text) {
      if (!isSeen(now)) return { kind: 'overtaken', problem: null }
      await desk.workspace.write(MEMORY_FILE, text)
    }
    const setup = await setupOrProblem(desk, 'files')
    if (typeof setup === 'string') return { kind: 'saved', problem: sentence(setup) }
    const act = { branch, at: desk.now(), author: { by: 'person' } as const }
    await desk.log.write((writing) => takeSetup(writing, setup, act))
    return { kind: 'saved', problem: null }
  })
}

/** Adds a line to memory.md, or puts it in the place of another. */
export async function remember(
  { workspace }: Pick<Desk, 'workspace'>,
  { line: words, replaces }: { line: string; replaces: string | null },
): Promise<string> {
  const line = plainLine(words)
  if (line === undefined) throw new PathError(`a line may have ${LINE_CHARACTERS_MAX} characters`)
  const file = (await workspace.read(MEMORY_FILE)) ?? ''
  if (memoryLines(file).includes(line)) return `Already in ${MEMORY_FILE}: ${line}`
  const replaced = replaces === null ? undefined : replaceLine(file, replaces, line)
  await workspace.write(MEMORY_FILE, replaced ?? addLine(file, line))
  return replaced === undefined ? `Remembered: ${line}` : `Remembered: ${line} (replaces: ${replaces})`
}
