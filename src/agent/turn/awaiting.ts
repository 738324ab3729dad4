import type { Reader } from '../../event/table.ts'
import { approvalNumbered, decideApproval, openNumbers } from '../state/approvals.ts'
import type { CallToRun } from './call-to-run.ts'
import { refusalText } from '../right/call-wording.ts'
import type { World } from '../contract/world.ts'

/** Waits for the person's word on a call, and gives why it may not run. */
export async function refusalOf(
  world: World,
  call: CallToRun,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { approval: number } = call
  if (number === undefined) return undefined
  const over = new AbortController()
  const isDecided = (reader: Reader): boolean => approvalNumbered(reader, number)?.decided !== null
  const asked = await world.log.read((reader) => approvalNumbered(reader, number)?.asked)
  const waitMs = Math.max(0, (asked?.until ?? 0) - world.now())
  const answered = world.until(isDecided, AbortSignal.any([signal, over.signal]))
  const timeUp = world.sleep(waitMs, AbortSignal.any([signal, over.signal])).then(
    () => expire(world, number),
    () => undefined,
  )
  await Promise.race([answered, timeUp])
  over.abort()
  const decided = await world.log.read((reader) => approvalNumbered(reader, number)?.decided)
  const verdict = decided?.verdict
  if (verdict === 'once' || verdict === 'always') return undefined
  const tool = world.tools().find(({ spec }) => spec.name === call.tool)
  if (tool === undefined) return `There is no tool '${call.tool}' any more.`
  const pattern = asked?.wish.kind === 'call' ? asked.wish.pattern : call.tool
  const because = verdict === 'denied' ? 'person' : 'no-answer'
  const text = refusalText({ tool: call.tool, nature: tool.nature, pattern, because })
  return decided?.instead === undefined ? text : `${text} They say: ${decided.instead}`
}

async function expire(world: World, number: number): Promise<void> {
  const at = world.now()
  const mode = world.settings().permissions
  await world.log.write((writing) => {
    const approval = approvalNumbered(writing, number)
    // It is over with its turn too: what was stopped or killed meanwhile writes nothing more (KILL1).
    if (approval === undefined || !openNumbers(writing).includes(number)) return
    const author = { by: 'policy', name: 'approval-timeout' } as const
    decideApproval(writing, approval, { at, verdict: 'expired', author, mode })
  })
}
