import { z } from 'zod'
import { getBranch } from '../../context/branch.ts'
import { livingChildren } from '../../context/living.ts'
import { branchNames } from '../../context/naming.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { defineTool, HIDDEN, type Meant } from '../../tool/define-tool.ts'
import { builtIn, failed, type CallContext, type Tool } from '../../tool/tool.ts'
import type { Agent } from '../agent.ts'
import { isWorking } from '../branch/due.ts'
import { mailAt, unreadMail, waiting } from '../state/inbox.ts'
import type { World } from '../contract/world.ts'
import { readBranch } from './arguments.ts'

const SECONDS = { default: 300, max: 3600 } as const
const IDS_MAX = 100

const USAGE = `Usage: wait {"ids"?: [IDs of branches], "until"?: "all" or "first", "timeout"?: seconds, 1 to ${SECONDS.max}}.`

const secondsSchema = z.number().min(1).max(SECONDS.max)

const argumentsSchema = z.strictObject({
  ids: z
    .array(z.string())
    .max(IDS_MAX)
    .describe('IDs of branches; your children unless given')
    .exactOptional(),
  until: z.enum(['all', 'first']).describe('Return after all of them (default) or the first').exactOptional(),
  timeout: secondsSchema.describe(`Seconds; ${SECONDS.default} unless given`).exactOptional(),
  /** The old name, which models also choose on their own. */
  timeout_seconds: secondsSchema.exactOptional().meta(HIDDEN),
})

export type WaitParts = Pick<World, 'log' | 'now' | 'sleep'> & Pick<Agent, 'until' | 'whileWaiting'>

/** Lets a turn wait for other branches without occupying a place among the running ones. */
export function waitTool(parts: WaitParts): Tool {
  const { log, now } = parts
  return defineTool({
    name: 'wait',
    description:
      "Pause until your children have answered or ended, or the person writes. Call it in the step after you started children; don't poll.",
    schema: argumentsSchema,
    usage: USAGE,
    nature: builtIn('looks'),
    run: async ({ ids = [], until = 'all', timeout, timeout_seconds: named }, call) => {
      const seconds = timeout ?? named ?? SECONDS.default
      const awaited = await log.read((reader) => branchesMeant(reader, call.branch, ids))
      if ('misfit' in awaited) return awaited.misfit
      const look = (reader: Reader) =>
        lookAt(reader, { caller: call.branch, awaited: awaited.is, until, now: now() })
      const isOver = (reader: Reader): boolean => look(reader).ended !== undefined
      await waitUntil(parts, call, { isOver, timeoutMs: seconds * 1000 })
      if (call.signal.aborted) return failed('Stopped while it waited.')
      // Read again: more may have happened until this branch had its place back.
      const { ended = 'timeout', branches } = await log.read(look)
      return { text: JSON.stringify({ ended, branches }), isError: false }
    },
  })
}

function branchesMeant(reader: Reader, caller: BranchId, words: readonly string[]): Meant<BranchId[]> {
  if (words.length === 0) return ownChildren(reader, caller)
  const branches = new Set<BranchId>()
  for (const word of words) {
    const branch = readBranch(reader, caller, word)
    if ('misfit' in branch) return branch
    if (branch.is === caller)
      return { misfit: failed(`'${word}' is yourself, and you cannot wait for yourself. ${USAGE}`) }
    branches.add(branch.is)
  }
  return { is: [...branches] }
}

/** Children that work on their own. An interactive fork waits for the person. */
function ownChildren(reader: Reader, caller: BranchId): Meant<BranchId[]> {
  const living = livingChildren(reader, caller).filter((id) => {
    const { mode, state } = getBranch(reader, id)
    return mode === 'child' && state.kind !== 'ended'
  })
  if (living.length > 0) return { is: living }
  return {
    misfit: failed(
      'You have no children at work, so there is nothing to wait for. Go on with your task. To wait for other branches, give their `ids`.',
    ),
  }
}

async function waitUntil(
  { until, whileWaiting, sleep }: WaitParts,
  { branch, signal }: CallContext,
  { isOver, timeoutMs }: { isOver: (reader: Reader) => boolean; timeoutMs: number },
): Promise<void> {
  const end = new AbortController()
  const either = AbortSignal.any([signal, end.signal])
  sleep(timeoutMs, either).then(
    () => end.abort(),
    () => undefined,
  )
  try {
    await whileWaiting(branch, () => until(isOver, either))
  } finally {
    end.abort()
  }
}

type Looking = { caller: BranchId; awaited: readonly BranchId[]; until: 'all' | 'first'; now: number }

/** Which branches work; `ended` is undefined while there is something to wait for. */
function lookAt(reader: Reader, { caller, awaited, until, now }: Looking) {
  const nameOf = branchNames(reader)
  const senders = new Set(unreadMail(reader, caller).map((position) => mailAt(reader, position).from))
  const branches = awaited.map((id) => {
    return { id: nameOf(id), status: senders.has(id) ? 'wrote' : statusOf(reader, id, now) }
  })
  const working = branches.filter(({ status }) => status === 'working').length
  if (until === 'all' ? working === 0 : working < branches.length) return { ended: until, branches }
  return { ended: isSpokenTo(reader, caller) ? ('interrupted' as const) : undefined, branches }
}

function statusOf(reader: Reader, id: BranchId, now: number): string {
  const { state } = getBranch(reader, id)
  if (state.kind === 'ended') return `ended: ${state.reason}`
  return isWorking(reader, id, now) ? 'working' : 'idle'
}

/** A command that waits for the end of the turn does not count, or every further wait would end at once. */
function isSpokenTo(reader: Reader, branch: BranchId): boolean {
  return waiting(reader, branch).some(({ source, form }) => source === 'person' && form !== 'command')
}
