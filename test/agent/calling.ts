import type { Prompt } from '../../src/event/prompt.ts'
import type { Reply } from '../../src/model/contract/model.ts'
import { bare, isChilds, lastText, results, ruled, said, type Ruled } from './rig.ts'

type Calls = Reply['calls']

/**
 * A model that makes these calls, a step each, when it is asked to `go`; it tells what the results were. A child says
 * that it is one, and everything else is repeated.
 */
export async function calling(...steps: readonly Calls[]): Promise<Ruled & { results: () => unknown[][] }> {
  const left = [...steps]
  const seen: unknown[][] = []
  const at = await ruled((prompt) => {
    if (isChilds(prompt)) return { text: 'child here' }
    if (prompt.messages.at(-1)?.role === 'tool') seen.push(results(prompt))
    const isGoing = said(prompt).at(-1) === 'go'
    const calls = isGoing ? left.shift() : undefined
    return calls === undefined ? { text: isGoing ? 'gone' : `heard: ${lastText(prompt)}` } : { calls }
  })
  return Object.assign(at, { results: () => seen })
}

/** A prompt in one text a message: what was said, called, answered. */
export function texts(prompt: Prompt | undefined): string[] {
  return (prompt?.messages ?? []).map((message) => {
    if (message.role === 'user') return bare(message)
    if (message.role === 'tool' || message.calls.length === 0) return message.text
    const typed = message.calls.map(({ args }) => args as { command: string; args?: string })
    return typed.map(({ command, args = '' }) => `${command} ${args}`.trim()).join(' + ')
  })
}
