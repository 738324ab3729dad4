import { globSync } from 'node:fs'
import { readText } from '../../base/regular-file.ts'
import { join, sep } from 'node:path'
import { clockIn } from '../../base/time-text.ts'
import { openFork } from '../../agent/branch/enter-act.ts'
import { messageNumbered, senderName } from '../../agent/branch/reply-act.ts'
import { grantsIn } from '../../agent/state/approvals.ts'
import { lastNumber } from '../../agent/state/outbox.ts'
import { promptTokens } from '../../agent/compaction/prompt-size.ts'
import { missingModelIn, waitsForModel } from '../../agent/state/home-model.ts'
import type { AgentSettings } from '../../agent/state/settings.ts'
import { spentOn } from '../../agent/state/spent.ts'
import { pendingUpdates } from '../../agent/state/updates.ts'
import { oneLine } from '../../base/width.ts'
import type { Status } from '../../channel/terminal/port.ts'
import type { Desk } from '../../command/desk/desk.ts'
import type { Choice, Known } from '../../command/read/complete.ts'
import { modelNamed } from '../../agent/contract/world.ts'
import { ageText } from '../../base/words.ts'
import { ModelError, type ModelErrorReason } from '../../model/contract/model.ts'
import { defaultModels, knownModel } from '../../model/known-models.ts'
import { priceWords, tokenWords } from '../../view/words.ts'
import { getBranch } from '../../context/branch.ts'
import { livingChildren, livingFrom } from '../../context/living.ts'
import { lastMessage } from '../../context/message-index.ts'
import { branchNames } from '../../context/naming.ts'
import { marksOf } from '../../context/version.ts'
import { patternText } from '../../permission/pattern.ts'
import type { EventOf } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import { turnNumber } from '../../agent/state/turn-number.ts'
import { unreadMail, waiting } from '../../agent/state/inbox.ts'
import type { Reader } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import { terminalAddress } from './place.ts'
import { awaited, type Waiting } from './open-questions.ts'
import { mainAbove, personIn } from '../../agent/state/person.ts'

export interface StatusLook extends Waiting {
  readonly branch: BranchId
  readonly settings: AgentSettings
  /** The context size of the model. */
  readonly tokensMax: number
  readonly busy: readonly BranchId[]
  /** When the running call is tried again after a failure, and which one that was. */
  readonly retry?: { readonly tries: number; readonly at: number; readonly reason?: string } | undefined
}

export function statusOf(reader: Reader, look: StatusLook): Status {
  const { branch, settings, tokensMax, now, busy } = look
  const { all } = spentOn(reader, { branch, day: clockIn(now, settings.zone).date })
  const [main, fork] = [mainAbove(reader, branch), openFork(reader, terminalAddress)]
  const nameOf = branchNames(reader)
  return {
    branch: nameOf(branch),
    mode: getBranch(reader, branch).mode,
    model: missingModelIn(reader, branch, settings) === undefined ? settings.model : 'no model',
    tokens: promptTokens(reader, branch),
    tokensMax,
    unreadMail: unreadMail(reader, branch).filter((position) => position > answeredTo(reader, branch)).length,
    approvals: awaited(reader, look).length,
    updates: main === undefined ? 0 : pendingUpdates(reader, main).length,
    openFork: fork === undefined || fork === branch ? null : nameOf(fork),
    costToday: all.isPriced ? all.cost : null,
    permissions: settings.permissions,
    running: busy.filter((other) => other !== branch).length,
    ...retryIn(reader, look),
  }
}

/** Where its last turn ended: the mail before that was announced in it, and its answer was shown. */
function answeredTo(reader: Reader, branch: BranchId): number {
  return getBranch(reader, branch).state.kind === 'idle' ? (lastMessage(reader, branch)?.position ?? 0) : 0
}

function retryIn(reader: Reader, look: StatusLook): Pick<Status, 'retry'> {
  const { branch, now } = look
  const next = nextTry(reader, look)
  if (next === undefined) return {}
  const queued = waiting(reader, branch).filter(({ form }) => form === 'message')
  const seconds = Math.max(0, Math.ceil((next.at - now) / 1000))
  const why = FAILURES[next.reason as ModelErrorReason] ?? null
  return { retry: { tries: next.tries, seconds, waiting: queued.length, why } }
}

/** Failures after which a model is called again, as a status line names them. */
const FAILURES: Partial<Record<ModelErrorReason, string>> = {
  'rate-limited': 'too many requests',
  overloaded: 'server error',
  network: 'no connection',
  timeout: 'no answer in time',
  garbled: 'unreadable reply',
}

/** How often a model failed that is called again, and when that is: by the running turn, or by the one that continues it. */
export function nextTry(
  reader: Reader,
  { branch, now, retry, settings }: Pick<StatusLook, 'branch' | 'now' | 'retry' | 'settings'>,
): StatusLook['retry'] {
  if (retry !== undefined) return retry
  if (waitsForModel(reader, branch, settings)) return undefined
  const { state } = getBranch(reader, branch)
  if (state.kind !== 'idle' || state.last?.outcome !== 'deferred') return undefined
  const { turn, since, retryAt } = state.last
  // Each try is a turn of its own, and nothing else runs in the branch meanwhile.
  const first = reader.event(since) as EventOf<'turn-started'>
  const tries = (turnNumber(reader, turn) ?? 0) - (turnNumber(reader, first.turn) ?? 0) + 1
  return { tries, at: retryAt ?? now }
}

const BRANCHES_MAX = 100

/** Words that can follow a command: marks, newest first, then the branches that have not ended, and so on. */
export function knownIn(
  reader: Reader,
  { branch, address = terminalAddress }: { readonly branch: BranchId; readonly address?: Address },
  desk: KnownDesk,
): KnownHere {
  const marks = marksOf(reader, getBranch(reader, branch)).toReversed()
  const nameOf = branchNames(reader)
  const person = personIn(reader, branch)
  const living = livingChildren(reader, null)
    .flatMap((top) => livingFrom(reader, top))
    .filter((id) => id !== branch && personIn(reader, id) === person)
    .map((id) => getBranch(reader, id))
    .toSorted((a, b) => b.forkedAt - a.forkedAt)
    .slice(0, BRANCHES_MAX)
  const branches = living.map(({ id, mode, title }): Choice => {
    return { word: nameOf(id), help: title === null ? mode : `${mode} '${oneLine(title)}'` }
  })
  const jobs = desk.shelf.jobs().map(({ definition: { kind, id, description, body } }) => {
    return { kind, word: id, help: oneLine(`${kind}: ${description || body}`) }
  })
  return {
    MARK: marks.map(({ name, at }) => ({
      word: name,
      help: `set ${ageText(desk.now() - reader.event(at).at)} ago`,
    })),
    ID: branches,
    TOOL: desk.tools().map(({ spec }) => ({ word: spec.name, help: oneLine(spec.description) })),
    GRANT: grantsIn(reader, person).map(({ pattern }) => ({
      word: patternText(pattern),
      help: `${pattern.tool} may run`,
    })),
    NUMBER: newestNumbers(reader, address),
    MODEL: modelChoices(desk),
    JOB: jobs,
    ROUTINE: jobs.filter(({ kind }) => kind === 'routine'),
    REMINDER: jobs.filter(({ kind }) => kind === 'reminder'),
  }
}

/** Without files: those are looked for when somebody types one. */
export type KnownHere = Omit<Known, 'FILE'>

type KnownDesk = Pick<Desk, 'tools' | 'shelf' | 'settings' | 'openModel' | 'now'>

/** The model in use, a good one of each provider, and the one that needs nothing. */
function modelChoices(desk: KnownDesk): readonly Choice[] {
  const now = desk.settings().model
  return [...new Set([now, ...Object.values(defaultModels), 'offline'])].map((word) => {
    if (word === 'offline') return { word, help: 'a few fixed rules; needs no key and no network' }
    const opened = modelNamed({ model: desk.openModel }, word)
    const isReady = !(opened instanceof ModelError)
    const { contextTokens, price } = isReady ? opened : knownModel(word)
    const costs = price ? `, ${priceWords(price)}` : ''
    const state = word === now ? 'in use' : isReady ? 'ready' : 'needs a key'
    return { word, help: `${state}; ${tokenWords(contextTokens)} tokens of context${costs}` }
  })
}

const FILES_MAX = 50

/** Markdown files of the workspace and its folders, each with its description or how its text begins. */
export function fileChoices(root: string): readonly Choice[] {
  // Jobs are mostly in folders; AGENTS.md and the like are at the top.
  const files = [...globSync('*/*.md', { cwd: root }), ...globSync('*.md', { cwd: root })].slice(0, FILES_MAX)
  return files.flatMap((word): Choice[] => {
    const read = readText(join(root, word))
    // It is gone by now, or may not be read.
    if ('problem' in read) return []
    const text = read.text.slice(0, FILE_READ_MAX)
    const [, description] = /^description: *(.+)$/m.exec(text) ?? []
    const help = oneLine(description ?? text.replace(FRONT_MATTER, ''))
    return [{ word: word.replaceAll(sep, '/'), help }]
  })
}

const FILE_READ_MAX = 2_000
const FRONT_MATTER = /^---\n[\s\S]*?\n---\n/

const NUMBERS_MAX = 10

/** Numbered messages, newest first, each with its sender and how it begins. */
function newestNumbers(reader: Reader, address: Address): readonly Choice[] {
  const last = lastNumber(reader, address)
  const numbers = Array.from({ length: Math.min(last, NUMBERS_MAX) }, (_, index) => last - index)
  return numbers.flatMap((number): Choice[] => {
    const message = messageNumbered(reader, address, number)
    if (message === undefined) return []
    const { form, branch, text } = message
    const whose = form === 'ping' ? `${senderName(reader, branch)}: ` : ''
    return [{ word: String(number), help: oneLine(`${whose}${text}`) }]
  })
}
