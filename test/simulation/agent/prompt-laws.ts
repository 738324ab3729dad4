import { promptText, rebuildPrompt, type Recorded } from '../../../src/agent/turn/call-prompt.ts'
import { hashOf } from '../../../src/agent/state/setup.ts'
import type { Event } from '../../../src/event/event.ts'
import type { BranchId } from '../../../src/event/id.ts'
import { isSummary } from '../../../src/event/item.ts'
import type { Prompt, PromptMessage } from '../../../src/event/prompt.ts'
import type { Reader } from '../../../src/event/table.ts'
import { hold } from '../witness.ts'
import type { Tree } from './tree.ts'

/** Prompts are recorded before the call, complete, and can be rebuilt from the log for ever. */
export class PromptLaws {
  readonly #tree: Tree
  readonly #calls: Recorded[] = []
  /** Where the context of a branch was last summed up. */
  readonly #compacted = new Map<BranchId, number>()

  constructor(tree: Tree) {
    this.#tree = tree
  }

  take(event: Event): void {
    if (event.kind === 'model-called') this.#calls.push(event)
    // A fork may have summed up what it inherited, and a save brings that along.
    const isSummedUp = event.kind === 'context-saved' && event.items.some(isSummary)
    if (event.kind === 'context-compacted' || isSummedUp) this.#compacted.set(event.branch, event.position)
  }

  /**
   * The branch whose model gets this prompt. Undefined if several could: children made at once with the same task ask
   * the same. `asking`: the branches that already wait for a model.
   */
  handed(prompt: Prompt, asking: ReadonlySet<BranchId>): BranchId | undefined {
    const hash = hashOf(promptText(prompt))
    const called = this.#calls.filter((call) => call.prompt === hash)
    const call = called.at(-1)
    hold(call !== undefined, '[CTX8] a model gets a prompt that was not written down')
    checkWhole(prompt)
    this.#checkHeard(call, prompt)
    if (called.some(({ branch }) => branch !== call.branch)) return undefined
    hold(!asking.has(call.branch), `[TURN1] ${call.branch} asks a model twice at once`)
    return call.branch
  }

  /** Every prompt can be rebuilt from the events alone. */
  rebuilt(folded: Reader): void {
    const before = new Map<BranchId, { call: Recorded; prompt: Prompt }>()
    for (const call of this.#calls) {
      const { prompt, isSame } = rebuildPrompt(folded, call)
      hold(isSame, `[CTX8] the prompt of the call at ${call.position} cannot be rebuilt`)
      checkWhole(prompt)
      const bare = call.tail === null ? prompt : rebuildPrompt(folded, { ...call, tail: null }).prompt
      const last = before.get(call.branch)
      if (last !== undefined) this.#checkPrefix(last, { call, prompt: bare })
      before.set(call.branch, { call, prompt: bare })
    }
  }

  /** The answering model sees everything that was said in this work, unless it was summed up since. */
  #checkHeard({ branch, turn, position }: Recorded, prompt: Prompt): void {
    const users = prompt.messages.filter(({ role }) => role === 'user').map(({ text }) => text)
    for (const said of this.#tree.turn(turn).work.said) {
      if (said.position < (this.#compacted.get(branch) ?? 0)) continue
      const text = said.text.toWellFormed()
      const isHeard = users.some((user) => user.includes(text))
      hold(isHeard, `[TURN4] the prompt at ${position} does not have '${text}', which its turn took`)
    }
  }

  /** CTX6: while nothing changes the context, a prompt begins with the one before it. */
  #checkPrefix(
    before: { call: Recorded; prompt: Prompt },
    { call, prompt }: { call: Recorded; prompt: Prompt },
  ): void {
    const isChanged = before.call.version !== call.version || before.call.system !== call.system
    if (isChanged || before.call.tools !== call.tools) return
    if (before.prompt.settings.model !== prompt.settings.model) return
    const wrong = before.prompt.messages.findIndex(
      (message, index) => JSON.stringify(message) !== JSON.stringify(prompt.messages[index]),
    )
    hold(
      wrong < 0,
      `[CTX6] the prompt at ${call.position} differs from the one before it in message ${wrong}`,
    )
  }
}

/** CTX3: every call is followed by its result, no result stands alone, and no prompt begins with the model's words. */
export function checkWhole({ messages }: Prompt): void {
  let open = new Set<string>()
  hold(messages[0]?.role !== 'assistant', '[CTX3] a prompt begins with the model itself')
  for (const message of messages) open = after(open, message)
  hold(open.size === 0, '[CTX3] a prompt ends with a call that has no result')
}

function after(open: Set<string>, message: PromptMessage): Set<string> {
  if (message.role === 'tool') {
    hold(open.delete(message.call), `[CTX3] a prompt has a result of ${message.call}, and no call before it`)
    return open
  }
  hold(open.size === 0, `[CTX3] a prompt has a call without a result: ${[...open].join(', ')}`)
  if (message.role !== 'assistant') return open
  const calls = new Set(message.calls.map(({ id }) => id))
  hold(calls.size === message.calls.length, '[CTX3] a prompt has one call id twice')
  return calls
}
