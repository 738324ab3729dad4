/**
 * The smallest use of Mainstem as a library: talk, mark, rewind, undo, fork. It needs no disk and no key.
 */
import { strict as assert } from 'node:assert'
import {
  addMessage,
  contextProjections,
  createBranch,
  fork,
  getBranch,
  isRefusal,
  listOf,
  makeBranchId,
  openMemoryLog,
  rewind,
  setMark,
  show,
  systemClock,
  systemRandom,
  undo,
  type BranchId,
  type Decision,
  type Kind,
  type Writing,
} from '../src/index.ts'

const log = openMemoryLog({ projections: contextProjections })
const author = { by: 'person' } as const
const at = systemClock()

/** An act is decided on what the log holds at that moment, and written in the same step. */
function act<K extends Kind>(decide: (writing: Writing) => Decision<K>): Promise<void> {
  return log.write((writing) => {
    const decision = decide(writing)
    if (isRefusal(decision)) throw new Error(`refused: ${decision.refused}`)
    writing.append(decision.draft)
  })
}

const say = (branch: BranchId, text: string) =>
  act((writing) => addMessage(writing, { branch, at, message: { role: 'user', text }, tokens: 5 }))

const shownBy = (branch: BranchId) =>
  log.read((reader) =>
    show(reader, listOf(reader, getBranch(reader, branch))).map((shown) =>
      shown.kind === 'message' ? shown.event.message.text : shown.summary.text,
    ),
  )

const main = makeBranchId(at, systemRandom)
await act(() => createBranch({ child: main, mode: 'main', title: null, at, author }))
await say(main, 'We are planning a garden.')
await act((writing) => setMark(writing, { branch: main, at, author, name: 'PLAN' }))
await say(main, 'Let us try roses only.')
assert.deepEqual(await shownBy(main), ['We are planning a garden.', 'Let us try roses only.'])

await act((writing) => rewind(writing, { branch: main, at, author, name: 'PLAN', messagesMin: 0 }))
assert.deepEqual(await shownBy(main), ['We are planning a garden.'])

await act((writing) => undo(writing, { branch: main, at, author }))
assert.deepEqual(await shownBy(main), ['We are planning a garden.', 'Let us try roses only.'])

const child = makeBranchId(at, systemRandom)
await act((writing) =>
  fork(writing, {
    parent: main,
    child,
    mode: 'fork',
    title: 'bulbs',
    inherit: { take: 'everything' },
    hasGoal: false,
    at,
    author,
  }),
)
await say(child, 'And tulips?')
await say(main, 'Roses it is.')
assert.deepEqual((await shownBy(child)).at(-1), 'And tulips?')
assert.deepEqual((await shownBy(main)).at(-1), 'Roses it is.')

console.log('main shows:', await shownBy(main))
console.log('the fork shows:', await shownBy(child))
await log.close()
