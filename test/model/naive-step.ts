import type { NaiveMessage } from './entry.ts'
import { TURN, type NaiveWorld } from './naive.ts'

export type NewMessage = Pick<NaiveMessage, 'id' | 'role' | 'calls' | 'tokens'>

/** A message shows once its step is complete: until the last result is there, the step is hidden. */
export function addMessage(world: NaiveWorld, number: number, added: NewMessage): boolean {
  const { role, calls } = added
  const branch = world.get(number)
  if (branch.ended) return false
  const message: NaiveMessage = { ...added, src: number, turn: branch.turn?.id ?? null }
  if (role === 'tool') return addResult(world, number, message)
  if (branch.half !== null || new Set(calls).size < calls.length) return false
  if (calls.length > 0) {
    world.put({ ...branch, half: { messages: [message], open: calls } })
    return true
  }
  show(world, number, [message])
  return true
}

function addResult(world: NaiveWorld, number: number, message: NaiveMessage): boolean {
  const branch = world.get(number)
  const [call] = message.calls
  if (branch.half === null || call === undefined || !branch.half.open.includes(call)) return false
  const messages = [...branch.half.messages, message]
  const open = branch.half.open.filter((other) => other !== call)
  if (open.length > 0) {
    world.put({ ...branch, half: { messages, open } })
    return true
  }
  world.put({ ...branch, half: null })
  show(world, number, messages)
  return true
}

function show(world: NaiveWorld, number: number, messages: readonly NaiveMessage[]): void {
  world.act(number, { kind: 'add', messages })
  const { held } = world.get(number)
  if (held !== null) world.hold(number, held + messages.length)
  const branch = world.get(number)
  const { turn } = branch
  const { lastTurn } = branch
  if (turn !== null) world.put({ ...branch, turn: { ...turn, messages: [...turn.messages, ...messages] } })
  else if (lastTurn !== null) world.put({ ...branch, lastTurn: [...lastTurn, ...messages] })
}

/** A turn that continues another takes over that one's messages. */
export function startTurn(world: NaiveWorld, number: number, continues = false): boolean {
  if (!world.mayChangeBetweenTurns(number)) return false
  const messages = continues ? (world.get(number).lastTurn ?? []) : []
  world.act(number, { kind: 'place', name: TURN })
  world.put({ ...world.get(number), turn: { id: world.next(), messages } })
  return true
}

export function endTurn(world: NaiveWorld, number: number): boolean {
  if (!world.mayChange(number) || world.get(number).turn === null) return false
  world.act(number, { kind: 'remove', name: TURN })
  const branch = world.get(number)
  const messages = branch.turn?.messages ?? null
  world.put({ ...branch, turn: null, lastTurn: messages, lastWork: messages })
  return true
}

/** A restart's repair of a dead turn: results for the open calls, then the end of the turn. */
export function recover(world: NaiveWorld, number: number, idOfResult: (call: string) => string): boolean {
  const branch = world.get(number)
  if (branch.ended || (branch.turn === null && branch.half === null)) return false
  for (const call of branch.half?.open ?? []) {
    addMessage(world, number, { id: idOfResult(call), role: 'tool', calls: [call], tokens: 1 })
  }
  return branch.turn === null || endTurn(world, number)
}
