import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { statusCommand } from '../src/cli/look/status.ts'
import { modelsCommand } from '../src/cli/store/models.ts'
import { startEmbeddingServer } from './stand-ins/embedding-server.ts'
import { run, tempFolder, runHere, type Failed } from './cli/run.ts'

beforeEach(() => {
  vi.stubEnv('MAINSTEM_EMBEDDER', undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

const models = (home: string, ...args: string[]): Promise<Failed> => runHere(modelsCommand, home, args)

function newHome(): string {
  const home = join(tempFolder(), 'home')
  mkdirSync(home)
  return home
}

/** An address of this machine where nothing listens. */
async function closedPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `127.0.0.1:${port}`
}

describe('models', () => {
  test('lists what can answer, with size and price, and calls the one in use', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-ant')
    vi.stubEnv('OLLAMA_HOST', '127.0.0.1:9')
    vi.stubEnv('MAINSTEM_OPENAI_COMPATIBLE_URL', 'http://127.0.0.1:9/v1')
    const { code, out } = await models(newHome())
    expect(code).toBe(0)
    expect(out).toMatch(/^→ offline {2}/m)
    expect(out).toMatch(
      /^ {2}anthropic\/claude-sonnet-5 {2}1,000,000 tokens, \$2 in, \$10 out per million, ANTHROPIC_API_KEY$/m,
    )
    expect(out).toMatch(/^offline answered in \d+ ms: ./m)
  })

  test.each([
    ['http://127.0.0.1:9/v1', undefined, '128,000 tokens, free, config'],
    ['http://127.0.0.1:9/v1', '2.5', '128,000 tokens, $2.5 in, $2.5 out per million, config'],
    ['https://llm.invalid/v1', undefined, '128,000 tokens, config'],
  ])('[COST1] a server at %s with the price %s: %s', async (url, price, told) => {
    vi.stubEnv('OLLAMA_HOST', '127.0.0.1:9')
    vi.stubEnv('MAINSTEM_OPENAI_COMPATIBLE_URL', url)
    vi.stubEnv('MAINSTEM_OPENAI_COMPATIBLE_PRICE', price)
    vi.stubEnv('MAINSTEM_MODEL', 'openai-compatible/llama')
    const { out } = await models(newHome())
    expect(out).toContain(`→ openai-compatible/llama  ${told}\n`)
    expect(out).toContain('offline  32,000 tokens, free')
  })

  test.each([
    ['environment', 'the environment (OLLAMA_HOST)'],
    ['file', 'HOME/config.json, line 1, column 21'],
  ])('says why the one in use cannot be called, and that its address is from the %s', async (by, origin) => {
    const host = await closedPort()
    vi.stubEnv('OLLAMA_HOST', by === 'file' ? undefined : host)
    vi.stubEnv('MAINSTEM_OPENAI_COMPATIBLE_URL', 'http://127.0.0.1:9/v1')
    vi.stubEnv('MAINSTEM_MODEL', 'ollama/qwen3')
    const home = newHome()
    writeFileSync(join(home, 'config.json'), by === 'file' ? `{"urls": {"ollama": "${host}"}}` : '{}')
    const { code, out } = await models(home, '--json')
    expect(code).toBe(1)
    const { test } = JSON.parse(out) as { test: { error: string } }
    const where = `\`urls.ollama\` from ${origin.replace('HOME', home)}`
    expect(test.error).toBe(
      `Ollama at http://${host} (${where}) refused the connection. Start the server, or correct the URL.`,
    )
  })
})

describe('models list', () => {
  test('says which there are, which is used and what is missing', async () => {
    vi.stubEnv('OPENAI_API_KEY', undefined)
    vi.stubEnv('OLLAMA_HOST', undefined)
    vi.stubEnv('MAINSTEM_EMBEDDER', 'openai/text-embedding-3-small')
    const { code, out } = await models(newHome(), 'list')
    expect(code).toBe(0)
    expect(out.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^ {2}static-en-128 {18}ready {4}.*assets\/static-en-128\.senc \(9\.0 MB\)$/),
      '  ollama/all-minilm              ready    http://127.0.0.1:11434',
      '→ openai/text-embedding-3-small  missing  openai/text-embedding-3-small needs an API key. Set `keys.openai` or OPENAI_API_KEY.',
      '  none                           ready    search by words only',
    ])
  })

  test('says as JSON what to do about one that is no longer part of the program', async () => {
    const home = newHome()
    writeFileSync(join(home, 'config.json'), JSON.stringify({ embedder: 'minilm:/srv/model' }))
    const listed = JSON.parse((await models(home, 'list', '--json')).out) as object[]
    expect(listed[2]).toEqual({
      embedder: 'minilm:/srv/model',
      used: true,
      state: 'missing',
      bytes: 0,
      place: null,
      needs: [expect.stringContaining('mainstem models use ollama/all-minilm')],
    })
    const { out } = await runHere(statusCommand, home, [])
    expect(out).toMatch(/^Note {3}The embedder 'minilm' is no longer part of Mainstem\./m)
  })
})

describe('models use', () => {
  test('takes a model of a server that makes a vector, and says what is sent where', async () => {
    const server = await startEmbeddingServer()
    vi.stubEnv('OLLAMA_HOST', server.url)
    const home = newHome()
    const used = await models(home, 'use', 'ollama/all-minilm')
    expect(used).toMatchObject({ code: 0, err: '' })
    expect(server.seen).toMatchObject([{ path: '/v1/embeddings' }])
    expect(used.out).toContain('embedder is now ollama/all-minilm (was static-en-128, the default)')
    expect(used.out).toContain('Takes effect after a restart')
    expect(readFileSync(join(home, 'config.json'), 'utf8')).toContain('"embedder": "ollama/all-minilm"')
  })

  test('takes the name of one', async () => {
    const home = newHome()
    expect((await models(home, 'use', 'none')).out).toContain('embedder is now none')
    expect((await models(home, 'use', 'static-en-128')).out).toContain('embedder is now static-en-128')
  })

  test('says why one cannot be used, and changes nothing then', async () => {
    vi.stubEnv('OLLAMA_HOST', await closedPort())
    vi.stubEnv('OPENAI_API_KEY', undefined)
    const home = newHome()
    for (const [name, why] of [
      ['ollama/all-minilm', 'refused the connection. Start the server, or correct the URL.'],
      ['openai/m', 'EmbedderError: openai/m needs an API key. Set `keys.openai` or OPENAI_API_KEY.'],
      ['minilm', "EmbedderError: The embedder 'minilm' is no longer part of Mainstem."],
      ['word2vec', 'CommandError: "word2vec" is no embedder. You can use static-en-128, PROVIDER/MODEL'],
      ['anthropic/claude', 'CommandError: "anthropic/claude" is no embedder.'],
    ] as const)
      expect((await models(home, 'use', name)).error).toContain(why)
    expect((await models(home, 'list')).out).toMatch(/^→ static-en-128/)
  })

  test('does not change what the environment has set', async () => {
    vi.stubEnv('MAINSTEM_EMBEDDER', 'none')
    const { error } = await models(newHome(), 'use', 'static-en-128')
    expect(error).toContain('embedder is none from the environment (MAINSTEM_EMBEDDER)')
  })
})

test('what it cannot do is refused with its usage', async () => {
  const home = newHome()
  expect((await models(home, 'push')).error).toMatch(
    /^UsageError: 'mainstem models' has no 'push'\. Usage: mainstem models \[list/,
  )
  expect((await models(home, 'use')).error).toBe(
    'UsageError: Missing EMBEDDER. Usage: mainstem models use EMBEDDER',
  )
})

test('the program has the command', async () => {
  const { code, out } = await run(['help', 'models'])
  expect(code).toBe(0)
  expect(out).toContain('Usage: mainstem models [list [--json] | use EMBEDDER]')
})
