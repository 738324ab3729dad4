import { MEMORY_HEADING } from '../../src/recall/memory-text.ts'
import { save } from '../../src/context/save.ts'
import { isRefusal } from '../../src/context/decision.ts'
import type { BranchId } from '../../src/event/id.ts'
import type { Prompt } from '../../src/event/prompt.ts'
import type { AgentSettings } from '../../src/agent/state/settings.ts'
import type { Stage } from './stage.ts'
import { sayTurns, talk, type Talk, type TalkOptions } from './talk.ts'

export const FACT = 'My dentist is called Dr. Meyer.'
export const QUESTION = 'Who is my dentist?'
export const RECALL: AgentSettings['recall'] = { limit: 5, snippetTokensMax: 300, acrossClear: false }

/** Enough of them that what was said before is summed up. */
export async function sayMuch(at: Stage, turns = 8): Promise<void> {
  await sayTurns(at, turns, (turn) => `Entry ${turn}: rain in the north, sun in the south.`)
}

/** A conversation whose fifth message is a fact that no prompt shows any more. */
export async function forgetful(options: TalkOptions = {}): Promise<Talk> {
  const at = await talk({ summarise: () => ({ text: 'They talked about 1 thing.' }), ...options })
  await sayTurns(at, 2, (turn) => `Good day, number ${turn}.`)
  await at.say(FACT)
  await sayMuch(at)
  return at
}

/** The block with what came back, where a prompt has one. */
export function memoryIn(prompt: Prompt | undefined): string | undefined {
  return prompt?.messages.find(({ text }) => text.startsWith(MEMORY_HEADING))?.text
}

/** What came back for a text that is said now. */
export async function memoryFor(at: Talk, text: string): Promise<string | undefined> {
  const before = at.chat.prompts.length
  await at.say(text)
  return memoryIn(at.chat.prompts[before])
}

/** Positions in the log of what came back, in its order. */
export function recalledIn(memory: string | undefined): number[] {
  return [...(memory ?? '').matchAll(/^\[log (\d+),/gm)].map(([, position]) => Number(position))
}

/** The texts inside the fences of a block. */
export function quotedIn(memory: string | undefined): string[] {
  return [...(memory ?? '').matchAll(/<data source="recall">\n(.*?)\n<\/data>/gs)].map(
    ([, text = '']) => text,
  )
}

/** Brings what a fork said into the branch it was forked from; the fork goes on. */
export async function saveFork(at: Stage, branch: BranchId): Promise<void> {
  await at.log.write((writing) => {
    const saved = save(writing, { branch, at: at.clock.now(), author: { by: 'person' } })
    if (isRefusal(saved)) throw new Error(`not saved: ${saved.refused}`)
    writing.append(saved.draft)
  })
}
