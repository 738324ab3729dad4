import { getBranch } from '../../src/context/branch.ts'
import { isRefusal, type Decision } from '../../src/context/decision.ts'
import { addMessage, endTurn, openCalls } from '../../src/context/step.ts'
import type { Kind, Placed } from '../../src/event/event.ts'
import type { Writing } from '../../src/event/table.ts'

/** Closes what a dead process left: a result for every open call, and the end of the turn. Returns whether there was any. */
export function recover(writing: Writing, { branch, at }: Placed): boolean {
  const { state } = getBranch(writing, branch)
  if (state.kind === 'ended') return false
  const open = openCalls(writing, branch)
  for (const { id: call, tool } of open) {
    const message = { role: 'tool', call, tool, text: 'interrupted', synthetic: 'interrupted' } as const
    append(writing, addMessage(writing, { branch, at, message, tokens: 1 }))
  }
  if (state.kind === 'running') append(writing, endTurn(writing, { branch, at, outcome: 'interrupted' }))
  return open.length > 0 || state.kind === 'running'
}

function append<K extends Kind>(writing: Writing, decided: Decision<K>): void {
  if (isRefusal(decided)) throw new Error(`it cannot recover: ${decided.refused}`)
  writing.append(decided.draft)
}
