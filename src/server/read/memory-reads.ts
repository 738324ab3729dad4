import { z } from 'zod'
import { memoryIn } from '../../agent/state/setup.ts'
import { isoAt } from '../../base/time-text.ts'
import { hashOf } from '../../file/file-store.ts'
import { MEMORY_FILE, memoryLines } from '../../memory/memory-file.ts'
import { todosView } from '../../memory/todo-file.ts'
import { documentKinds } from '../../recall/contract/document.ts'
import { aroundView } from '../../view/messages.ts'
import { LookError } from '../../view/named.ts'
import type { Served } from '../contract/route.ts'
import { branchOf, inBranch, count, atMost, list, position, positionWord, read, text, time } from './read.ts'

const TODOS_MAX = 1_000

/** What is remembered: what was said around a hit, memory.md, to-dos. */
export const memoryReads = [
  read('/api/around', {
    summary: 'Messages on both sides of a position, in order; without one, the newest of a branch',
    query: { position: positionWord, branch: inBranch, limit: atMost(50, 5).describe('on each side') },
    answer: z.strictObject({
      branch: text,
      handle: text,
      branchName: text,
      branchTitle: text.nullable(),
      messages: list({
        position,
        at: time,
        turn: count.nullable(),
        kind: z.enum(documentKinds),
        speaker: text,
        isOwn: z.boolean(),
        label: text.nullable(),
        text,
        isCut: z.boolean(),
      }),
      isMoreBefore: z.boolean(),
      isMoreAfter: z.boolean(),
    }),
    look: ({ served, query: { branch: word, ...look } }) =>
      served.life.log.read((reader) => aroundView(reader, { ...look, branch: branchOf(reader, word) })),
  }),

  read('/api/memory', {
    summary: 'The text of memory.md, and its lines with the day since when each is remembered',
    answer: z.strictObject({
      path: text,
      text,
      version: text,
      lines: list({ text, since: time }),
      /** The model sees these lines; false: the file was changed and not read again. */
      isRead: z.boolean(),
    }),
    look: ({ served }) => memoryNow(served),
  }),

  read('/api/todos', {
    summary: `Your to-dos, at most ${TODOS_MAX.toLocaleString('en')}`,
    query: { which: z.enum(['open', 'done', 'all']).default('open') },
    answer: z.array(
      z.strictObject({ number: position, isDone: z.boolean(), depth: count, text, due: text.nullable() }),
    ),
    look: async ({ served: { life }, query: { which } }) => {
      const said = await life.desk.todos({ action: 'list', which }, { max: TODOS_MAX })
      if (said.isError) throw new LookError('missing', said.text)
      return todosView(said.shown)
    },
  }),
]

async function memoryNow({ life: { desk, log } }: Served) {
  const words = (await desk.workspace.read(MEMORY_FILE)) ?? ''
  const known = await log.read((reader) => memoryIn(reader))
  const now = memoryLines(words)
  return {
    path: `${desk.workspace.root}/${MEMORY_FILE}`,
    text: words,
    version: hashOf(Buffer.from(words)),
    lines: known.map(({ text: line, since }) => ({ text: line, since: isoAt(since) })),
    isRead: now.length === known.length && known.every((line, at) => line.text === now[at]),
  }
}
