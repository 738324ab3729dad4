import { describe, expect, onTestFinished, test } from 'vitest'
import { contextProjections } from '../src/context/fold.ts'
import type { Log } from '../src/log/log.ts'
import { MemoryDisk, openMemoryLog } from '../src/log/memory.ts'
import type { Hit, Recall } from '../src/recall/contract/recall.ts'
import { openHomeRecall } from '../src/runtime/home/home-recall.ts'
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
  readonly warnings: string[]
  /** What is found first, and all there is to know of it. */
  best(text: string): Promise<{ text: string; hit: Hit }>
}

/** A home with this environment, as the program starts in it. */
async function homeWith(environment: Record<string, string> = {}): Promise<Home> {
  const { log, now } = await talked()
  const warnings: string[] = []
  const warn = (text: string): void => void warnings.push(text)
  const home = temporaryFolder()
  const config = new LiveConfig({ home, environment }, warn)
  const fail = (error: unknown): void => void warnings.push(String(error))
  const recall: Recall = openHomeRecall({ home, log, values: () => config.values, warn, fail })
  onTestFinished(() => recall.close())
  const best: Home['best'] = async (text) => {
    const { hits } = await recall.search({ text, within: () => 'all', limit: 5, now })
    const [hit] = hits
    if (hit === undefined) throw new Error(`nothing was found for ${text}`)
    const event = await log.read((reader) => reader.event(hit.position))
    return { text: event.kind === 'message-added' ? event.message.text : '', hit }
  }
  return { config, warnings, best }
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

  test('EMBEDDER without its files is told once, and the built-in one does the work', async () => {
    const home = await homeWith({ MAINSTEM_EMBEDDER: 'minilm' })
    await home.best('garage')
    expect((await home.best('automobile')).hit.why.vector).toEqual(expect.any(Number))
    expect(home.warnings).toEqual([expect.stringMatching(/Until then searches use the built-in encoder\.$/)])
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
