import { z } from 'zod'
import { oldestMain } from '../../agent/state/person.ts'
import { sentence } from '../../base/words.ts'
import { rewriteMemory } from '../../command/desk/proposal.ts'
import { refusedHere } from '../../command/read/rights.ts'
import { findKey } from '../../config/table/key.ts'
import { hashOf } from '../../file/file-store.ts'
import { testModel } from '../../runtime/home/model-shelf.ts'
import { originOf, Refusal, route, type Route } from '../contract/route.ts'

const words = z.string().max(4_000)

const STATUS = { refused: 403, pinned: 409, wrong: 400 } as const

/** What a person changes in a home by hand, and no command of a chat does. */
export const homeActs: readonly Route[] = [
  route('POST /api/memory', {
    summary: 'Replaces memory.md, unless it has changed since the version that was read',
    body: z.strictObject({ text: z.string(), version: z.string().max(64) }),
    bodyBytesMax: 4 * 1024 * 1024,
    answer: z.strictObject({
      kind: z.enum(['saved', 'overtaken']),
      /** Why the model does not see it yet. */
      problem: z.string().nullable(),
    }),
    handle: async ({ served: { life }, body: { text, version } }) => {
      const { desk, log } = life
      const branch = await log.read(oldestMain)
      if (branch === undefined) throw new Refusal(409, 'There is no conversation yet. Say something first.')
      const isSeen = (now: string): boolean => hashOf(Buffer.from(now)) === version
      return rewriteMemory(desk, { text, isSeen, branch })
    },
  }),

  route('POST /api/todos', {
    summary: 'Adds, ticks, reopens, changes or deletes a to-do; `was` is its text as it was shown',
    body: z.strictObject({
      action: z.enum(['add', 'done', 'reopen', 'update', 'delete']),
      item: z.int().min(1).exactOptional(),
      was: words.exactOptional(),
      text: words.exactOptional(),
      due: words.exactOptional(),
    }),
    answer: z.strictObject({ said: z.string() }),
    handle: async ({ served: { life }, body: { was, item, ...wish } }) => {
      const named = item !== undefined && { item: String(item) }
      // The number means the to-do that the page showed under it, or nothing.
      const shown = item !== undefined && was !== undefined && { shown: new Map([[item, was]]) }
      const { text, isError } = await life.desk.todos({ ...wish, ...named }, { ...shown })
      if (isError) throw new Refusal(409, text)
      return { said: text }
    },
  }),

  route('POST /api/config', {
    summary: "Sets a setting as 'mainstem config set' does; without a text, removes it from config.json",
    body: z.strictObject({ key: z.string().max(100), text: z.string().nullable() }),
    answer: z.strictObject({ said: z.array(z.string()) }),
    handle: async ({ served: { life }, caller, body }) => {
      const key = findKey(body.key)
      if (key === undefined) throw new Refusal(404, `There is no setting '${body.key}'.`)
      const said = life.config.change(originOf(caller), key, body.text)
      if (said.kind === 'told') return { said: said.lines }
      throw new Refusal(STATUS[said.kind], sentence(said.because))
    },
  }),

  route('POST /api/models/test', {
    summary: 'Calls a model once, with a few words',
    body: z.strictObject({ model: z.string().min(1).max(200) }),
    answer: z.union([
      z.strictObject({ answer: z.string(), ms: z.number() }),
      z.strictObject({ error: z.string() }),
    ]),
    handle: ({ served: { life }, caller, body }) => {
      const refused = refusedHere(originOf(caller), { key: 'model', json: body.model })
      if (refused !== undefined) throw new Refusal(403, refused)
      return testModel(life.config.current, body.model)
    },
  }),
]
