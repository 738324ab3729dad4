import { lstat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { grantsIn } from '../../agent/state/approvals.ts'
import { may } from '../../command/read/rights.ts'
import { configJson } from '../../config/listing.ts'
import type { Key } from '../../config/table/settings.ts'
import { costNotes, openedBy } from '../../runtime/home/model-shelf.ts'
import { configFile } from '../../config/table/source.ts'
import { fileStore, type FileStore } from '../../file/file-store.ts'
import { logBytes, logFile } from '../../runtime/home/home.ts'
import { recallState } from '../../runtime/home/recall-state.ts'
import { foundModels } from '../../runtime/home/found-models.ts'
import { embeddersView, modelsView } from '../../view/models.ts'
import { skillsView } from '../../view/skills-text.ts'
import { toolsView } from '../../view/tools-text.ts'
import { count, list, read, text } from './read.ts'

const origin = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('built-in') }),
  z.strictObject({ kind: z.literal('skill'), skill: text }),
  z.strictObject({ kind: z.literal('mcp'), server: text }),
])

/** The contents of a home: skills, tools, models, settings, files. */
export const homeReads = [
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
        origin,
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
      grants: list({
        pattern: text,
        origin: origin.nullable(),
        state: z.enum(['standing', 'changed', 'gone']),
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
    look: async ({ served: { life } }) => {
      const config = life.config.current
      const { model } = config.values
      const models = modelsView(
        await foundModels(config),
        model ?? 'offline',
        openedBy(config, life.desk.now),
      )
      return { models, embedders: embeddersView(config) }
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
        environment: z.array(text),
        isSecret: z.boolean(),
        text,
        defaultText: text,
        choices: z.array(text).nullable(),
        change: z.enum(['live', 'reload', 'restart']),
        isForTerminal: z.boolean(),
      }),
    ),
    look: ({ served: { life } }) => {
      const { current } = life.config
      const shown = Object.entries(configJson(current, costNotes(current, life.desk.now)))
      return Object.fromEntries(
        shown.map(([key, about]) => [key, { ...about, isForTerminal: isForTerminal(key) }]),
      )
    },
  }),

  read('/api/storage', {
    summary: 'Where the home is, and how much its parts take',
    answer: z.strictObject({
      home: text,
      workspace: text,
      config: text,
      log: z.strictObject({ file: text, bytes: count, events: count }),
      index: z.strictObject({ bytes: count }),
      files: z.strictObject({ folder: text, count, bytes: count }),
      freeBytes: count,
    }),
    look: async ({ served: { home, life } }) => {
      const events = await life.log.read((reader) => reader.end)
      const recall = recallState(home)
      const { bavail, bsize } = await statfs(home)
      return {
        home,
        workspace: life.desk.workspace.root,
        config: configFile(home),
        log: { file: logFile(home), bytes: logBytes(home), events },
        index: { bytes: recall.kind === 'none' ? 0 : recall.bytes },
        files: { folder: join(home, 'files'), ...(await sizeOf(fileStore(home))) },
        freeBytes: bavail * bsize,
      }
    },
  }),
]

function isForTerminal(key: string): boolean {
  return !may('page', { key: key as Key, json: undefined })
}

async function sizeOf(store: FileStore) {
  const hashes = await store.all()
  let bytes = 0
  for (const hash of hashes) bytes += (await lstat(store.pathOf(hash)).catch(() => undefined))?.size ?? 0
  return { count: hashes.length, bytes }
}
