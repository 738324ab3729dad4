import { z } from 'zod'
import { grantsIn } from '../../agent/state/approvals.ts'
import { configJson } from '../../config/listing.ts'
import { foundModels } from '../../runtime/home/found-models.ts'
import { embeddersView, modelsView } from '../../view/models.ts'
import { LookError } from '../../view/named.ts'
import { skillsView } from '../../view/skills-text.ts'
import { todosView } from '../../memory/todo-file.ts'
import { toolsView } from '../../view/tools-text.ts'
import { count, list, position, read, text } from './read.ts'

const TODOS_MAX = 1_000

/** What a home has: to-dos, skills, tools, models, settings. */
export const homeReads = [
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

  read('/api/skills', {
    summary: 'Every skill that was found, why one is not loaded, and the bundled ones',
    answer: z.strictObject({
      skills: list({
        name: text,
        directory: text,
        state: z.enum(['loaded', 'replaced', 'disabled', 'refused']),
        because: text.nullable(),
        warnings: z.array(text),
        description: text.exactOptional(),
        allowedTools: z.array(text).exactOptional(),
        files: z.array(text).exactOptional(),
        tools: z.array(text).exactOptional(),
      }),
      shipped: list({ name: text, description: text }),
    }),
    look: ({ served }) => skillsView(served.life.desk.skills()),
  }),

  read('/api/tools', {
    summary: 'Every tool, what would become of a call, and the MCP servers',
    answer: z.strictObject({
      mode: text,
      tools: list({
        name: text,
        origin: z.discriminatedUnion('kind', [
          z.strictObject({ kind: z.literal('built-in') }),
          z.strictObject({ kind: z.literal('skill'), skill: text }),
          z.strictObject({ kind: z.literal('mcp'), server: text }),
        ]),
        fate: text,
        description: text,
        parameters: z.looseObject({}),
      }),
      servers: list({
        server: text,
        state: z.enum(['not connected', 'connected', 'down']),
        tools: count,
        problem: text.exactOptional(),
      }),
    }),
    look: ({ served }) => {
      const { desk, log } = served.life
      const [tools, servers, { permissions: mode }] = [desk.tools(), desk.servers(), desk.settings()]
      return log.read((reader) => toolsView({ tools, servers, mode, grants: grantsIn(reader) }))
    },
  }),

  read('/api/models', {
    summary: 'The models that can answer here, and those that search by meaning',
    answer: z.strictObject({
      models: list({
        model: text,
        from: text,
        used: z.boolean(),
        contextTokens: count,
        price: z.looseObject({ perMillionIn: z.number(), perMillionOut: z.number() }).nullable(),
      }),
      embedders: list({
        embedder: text,
        used: z.boolean(),
        state: z.enum(['ready', 'missing']),
        bytes: count,
        place: text.nullable(),
        needs: z.array(text),
      }),
    }),
    look: async ({ served: { life, home } }) => {
      const config = life.config.current
      const { model, embedder } = config.values
      const models = modelsView(await foundModels(config), model ?? 'offline')
      return { models, embedders: embeddersView(embedder, home) }
    },
  }),

  read('/api/config', {
    summary: 'Every setting with its value, default and source; secrets are never shown',
    answer: z.record(
      text,
      z.looseObject({
        value: z.unknown(),
        default: z.unknown(),
        source: z.looseObject({ kind: text }),
        group: text,
        help: text,
        allowed: text,
        change: text,
        environment: z.array(text),
      }),
    ),
    look: ({ served }) => configJson(served.life.config.current),
  }),
]
