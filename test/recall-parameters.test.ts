import { describe, expect, onTestFinished, test } from 'vitest'
import type { Clock } from '../src/base/clock.ts'
import { providerAccess } from '../src/config/provider-access.ts'
import { contextProjections } from '../src/context/fold.ts'
import type { Log } from '../src/log/log.ts'
import { MemoryDisk, openMemoryLog } from '../src/log/memory.ts'
import type { Hit } from '../src/recall/contract/recall.ts'
import { openHomeRecall } from '../src/runtime/home/home-recall.ts'
import { recallState } from '../src/runtime/home/recall-state.ts'
import { startEmbeddingServer } from './stand-ins/embedding-server.ts'
import { agentSettings, LiveConfig } from '../src/runtime/home/live-config.ts'
import { Scene } from './model/scene.ts'
import { temporaryFolder } from './recall-index/home.ts'

const DAY = 86_400_000
const OLD = 'The dentist has a new practice.'
const NEW = 'The dentist has a new practice, it seems to us now.'
const BY_WORD = 'The garage band plays loud music tonight.'
const BY_MEANING = 'A mechanic fixed the engine of our car.'

/** Two ways to say the same, ten months apart, and two answers: one has the word, the other the meaning. */
async function talked(): Promise<{ log: Log; now: number }> {
  const log = openMemoryLog({ disk: new MemoryDisk(), projections: contextProjections })
  const now = await log.write((writing) => {
    const scene = new Scene(writing)
    scene.root('main')
    scene.turn('main', OLD, BY_WORD)
    for (let month = 0; month < 10; month++) {
      scene.at += 30 * DAY
      scene.turn('main', `Number ${month} was about something else entirely, such as the weather.`)
    }
    scene.turn('main', BY_MEANING, NEW)
    for (let letter = 0; letter < 10; letter++)
      scene.turn('main', `Letter ${letter} was about something else entirely, such as the garden.`)
    return scene.at
  })
  return { log, now }
}

interface Home {
  readonly config: LiveConfig
  readonly folder: string
  readonly warnings: string[]
  /** What is found first, and all there is to know of it. */
  best(text: string): Promise<{ text: string; hit: Hit }>
}

/** A home with this environment, as the program starts in it. */
async function homeWith(environment: Record<string, string> = {}, clock?: Clock): Promise<Home> {
  const { log, now } = await talked()
  const warnings: string[] = []
  const warn = (text: string): void => void warnings.push(text)
  const folder = temporaryFolder()
  const config = new LiveConfig({ home: folder, environment }, warn)
  const fail = (error: unknown): void => void warnings.push(String(error))
  const models = () => providerAccess(config)
  const recall = openHomeRecall({
    home: folder,
    log,
    values: () => config.values,
    models,
    warn,
    fail,
    ...(clock && { now: clock }),
  })
  onTestFinished(() => recall.close())
  const best: Home['best'] = async (text) => {
    // Otherwise a search waits only briefly for vectors.
    await recall.catchUp()
    const { hits } = await recall.search({ text, within: () => 'all', limit: 5, now })
    const [hit] = hits
    if (hit === undefined) throw new Error(`nothing was found for ${text}`)
    const event = await log.read((reader) => reader.event(hit.position))
    return { text: event.kind === 'message-added' ? event.message.text : '', hit }
  }
  return { config, folder, warnings, best }
}

describe('the parameters of recall', () => {
  test('RECALL_DECAY says how much age counts, from the next search on', async () => {
    const home = await homeWith()
    const question = 'Where is the dentist now?'
    expect((await home.best(question)).text).toBe(NEW)
    expect(home.config.set('RECALL_DECAY', 0)).toBeUndefined()
    expect((await home.best(question)).text).toBe(OLD)
    expect((await home.best(question)).hit.why.recency).toBe(1)
    expect((await (await homeWith({ MAINSTEM_RECALL_DECAY: '0' })).best(question)).text).toBe(OLD)
    expect(home.warnings).toEqual([])
  })

  test('RECALL_ALPHA says how much words count and how much meaning does', async () => {
    const home = await homeWith()
    const question = 'Which garage repairs an automobile?'
    for (const [alpha, expected] of [
      [1, BY_WORD],
      [0, BY_MEANING],
    ] as const) {
      expect(home.config.set('RECALL_ALPHA', alpha)).toBeUndefined()
      const { text, hit } = await home.best(question)
      expect([text, hit.why.alpha]).toEqual([expected, alpha])
      const started = await homeWith({ MAINSTEM_RECALL_ALPHA: `${alpha}` })
      expect((await started.best(question)).text).toBe(expected)
    }
  })

  test('EMBEDDER none leaves the meaning out; the built-in one is there by itself', async () => {
    const question = 'Which garage repairs an automobile?'
    const [plain, none] = [
      await homeWith(),
      await homeWith({ MAINSTEM_EMBEDDER: 'none', MAINSTEM_RECALL_ALPHA: '0' }),
    ]
    expect((await plain.best(question)).hit.why.vector).toEqual(expect.any(Number))
    const { text, hit } = await none.best(question)
    expect([text, hit.why.vector, hit.why.alpha]).toEqual([BY_WORD, null, 1])
    await expect(none.best('automobile')).rejects.toThrow('nothing was found')
    expect((await plain.best('automobile')).text).toBe(BY_MEANING)
  })

  test('EMBEDDER that is no longer there is told once with what to do, and the built-in one does the work', async () => {
    const home = await homeWith({ MAINSTEM_EMBEDDER: 'minilm:/srv/model' })
    await home.best('garage')
    expect((await home.best('automobile')).hit.why.vector).toEqual(expect.any(Number))
    expect(home.warnings).toEqual([
      expect.stringMatching(
        /^The embedder 'minilm' is no longer .*ollama\/all-minilm.*\. Until then searches use the built-in encoder\.$/,
      ),
    ])
  })

  test('EMBEDDER of a server compares what is said; while it fails the built-in one does, and its vectors stay', async () => {
    let time = 0
    const server = await startEmbeddingServer()
    const environment = { MAINSTEM_EMBEDDER: 'ollama/all-minilm', MAINSTEM_URLS_OLLAMA: server.url }
    // All that is said has the same vector, so nothing is nearer than the rest.
    server.vectorOf = (text) => (text.includes('engine') || text === 'automobile' ? [1, 0] : [0, 1])
    const home = await homeWith(environment, () => time)
    expect((await home.best('automobile')).text).toBe(BY_MEANING)
    expect(server.seen.flatMap(({ texts }) => texts)).toEqual(expect.arrayContaining([OLD, NEW, BY_WORD]))
    const made = server.seen.length
    expect(home.warnings).toEqual([])

    server.state = { status: 503, words: 'busy' }
    expect((await home.best('garage')).hit.why.vector).toBeNull()
    expect(home.warnings).toEqual([
      'The server of ollama/all-minilm failed (503). The error: busy. Until then searches use the built-in encoder.',
    ])
    expect((await home.best('automobile')).hit.why.vector).toEqual(expect.any(Number))
    expect(recallState(home.folder)).toMatchObject({
      vectors: [{ embedder: 'ollama/all-minilm' }, { embedder: 'static-en-128' }],
    })

    server.state = 'up'
    time += 300_000
    expect((await home.best('automobile')).text).toBe(BY_MEANING)
    // Only the question, and one text to learn the length of its vectors: none of the older messages again.
    const again = server.seen.slice(made).flatMap(({ texts }) => texts)
    expect(new Set(again)).toEqual(new Set(['hello', 'garage', 'automobile']))
    expect(home.warnings).toHaveLength(1)
  })

  test('EMBEDDER of a server that fails at the first messages is told once, and nothing is lost', async () => {
    const server = await startEmbeddingServer()
    server.vectorOf = (text) => (text === 'hello' ? [1, 0] : [])
    const home = await homeWith({
      MAINSTEM_EMBEDDER: 'openai/m',
      MAINSTEM_URLS_OPENAI: server.url,
      OPENAI_API_KEY: 'k',
    })
    await home.best('garage')
    expect((await home.best('automobile')).hit.why.vector).toEqual(expect.any(Number))
    expect(home.warnings).toEqual([
      'openai/m did not give a vector for each text. Is it a model for embeddings? Until then searches use the built-in encoder.',
    ])
  })

  test('RECALL_LIMIT, RECALL_SNIPPET_TOKENS and RECALL_ACROSS_CLEAR reach what a turn goes by', async () => {
    const { config } = await homeWith()
    const settings = () => agentSettings(config, 'Europe/Berlin').recall
    expect(settings()).toEqual({ limit: 5, snippetTokensMax: 300, acrossClear: false })
    for (const [name, value] of [
      ['RECALL_LIMIT', 2],
      ['RECALL_SNIPPET_TOKENS', 40],
      ['RECALL_ACROSS_CLEAR', true],
    ] as const)
      expect(config.set(name, value)).toBeUndefined()
    expect(settings()).toEqual({ limit: 2, snippetTokensMax: 40, acrossClear: true })
    const environment = {
      MAINSTEM_RECALL_LIMIT: '0',
      MAINSTEM_RECALL_SNIPPET_TOKENS: '20',
      MAINSTEM_RECALL_ACROSS_CLEAR: 'true',
    }
    const started = (await homeWith(environment)).config
    expect(agentSettings(started, 'Europe/Berlin').recall).toEqual({
      limit: 0,
      snippetTokensMax: 20,
      acrossClear: true,
    })
  })
})
