import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { modelsCommand } from '../src/cli/store/models.ts'
import { run, tempFolder, runHere, type Failed } from './cli/run.ts'
import { writeTinyModel } from './stand-ins/onnx-model.ts'

beforeEach(() => {
  for (const name of ['MAINSTEM_EMBEDDER', 'HF_ENDPOINT']) vi.stubEnv(name, undefined)
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

function tinyModel(directory: string): string {
  writeTinyModel(directory, { words: { cat: [1, 0], dog: [0, 1] } })
  return directory
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
    const home = newHome()
    const { code, out } = await models(home, 'list')
    expect(code).toBe(0)
    const lines = out.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^→ static-en-128 {2}ready {4}.*assets\/static-en-128\.senc \(9\.0 MB\)$/)
    expect(lines[1]).toBe(`  minilm         missing  ${join(home, 'models', 'all-MiniLM-L6-v2')}`)
    expect(lines[2]).toMatch(/^ {26}needs config\.json, .*onnx\/model_quantized\.onnx: mainstem models pull$/)
    expect(lines.at(-1)).toBe('  none           ready    search by words only')
  })

  test('says so as JSON, with a directory that is configured', async () => {
    const home = newHome()
    const directory = join(home, 'elsewhere')
    writeFileSync(join(home, 'config.json'), JSON.stringify({ embedder: `minilm:${directory}` }))
    const missing = JSON.parse((await models(home, 'list', '--json')).out) as { needs: string[] }[]
    expect(missing).toHaveLength(4)
    expect(missing[2]).toMatchObject({
      embedder: `minilm:${directory}`,
      used: true,
      state: 'missing',
      place: directory,
    })
    expect(missing[2]?.needs[0]).toContain('tokenizer.json')
    tinyModel(directory)
    const ready = JSON.parse((await models(home, 'list', '--json')).out) as { bytes: number }[]
    expect(ready[2]).toMatchObject({ state: 'ready', needs: [] })
    expect(ready[2]?.bytes).toBeGreaterThan(1_000)
    const { out } = await models(home, 'list')
    expect(out).toMatch(/^→ minilm:DIR {5}ready {4}.*elsewhere \(\d.*B\)$/m)
  })
})

describe('models use', () => {
  test('takes a directory whose model is complete', async () => {
    const home = newHome()
    const directory = tinyModel(join(home, 'my models', 'tiny'))
    const used = await models(home, 'use', directory)
    expect(used).toMatchObject({ code: 0, err: '' })
    expect(used.out).toContain(`embedder is now minilm:${directory} (was static-en-128, the default)`)
    expect(used.out).toContain('Takes effect after a restart')
    expect(readFileSync(join(home, 'config.json'), 'utf8')).toContain(`"embedder": "minilm:${directory}"`)
  })

  test('takes the name of one', async () => {
    const home = newHome()
    expect((await models(home, 'use', 'none')).out).toContain('embedder is now none')
    expect((await models(home, 'use', 'static-en-128')).out).toContain('embedder is now static-en-128')
    expect((await models(home, 'use', 'minilm')).error).toMatch(
      /^CommandError: the model in .* is (?:not complete|incomplete): .*mainstem models pull/,
    )
    tinyModel(join(home, 'models', 'all-MiniLM-L6-v2'))
    expect((await models(home, 'use', 'minilm')).out).toContain('embedder is now minilm')
  })

  test('names what is missing, and changes nothing then', async () => {
    const home = newHome()
    const directory = tinyModel(join(home, 'tiny'))
    rmSync(join(directory, 'tokenizer.json'))
    expect(await models(home, 'use', directory)).toMatchObject({
      error: `CommandError: the model in ${directory} is not complete: tokenizer.json missing; 'mainstem help models' says what belongs there`,
    })
    expect((await models(home, 'use', join(home, 'nowhere'))).error).toContain('there is no directory')
    expect((await models(home, 'use', join(directory, 'config.json'))).error).toContain('is not a directory')
    expect((await models(home, 'list')).out).toMatch(/^→ static-en-128/)
  })

  test('does not change what the environment has set', async () => {
    vi.stubEnv('MAINSTEM_EMBEDDER', 'none')
    const { error } = await models(newHome(), 'use', 'static-en-128')
    expect(error).toContain('embedder is none from the environment (MAINSTEM_EMBEDDER)')
  })
})

describe('models pull', () => {
  test('asks the mirror that --from or the environment names, and refuses what is not the model', async () => {
    const [wrong, empty] = [await startHub(200), await startHub(404)]
    vi.stubEnv('HF_ENDPOINT', empty.base)
    const home = newHome()
    const { error } = await models(home, 'pull', '--from', wrong.base)
    expect(error).toMatch(/^EmbedderError: .*config\.json was discarded: its sha-256 is/)
    expect(wrong.asked[0]).toMatch(/^\/Xenova\/all-MiniLM-L6-v2\/resolve\/[0-9a-f]{40}\/config\.json$/)
    expect((await models(home, 'pull')).error).toMatch(/could not download .*: the server said 404 Not Found/)
    expect(empty.asked).toHaveLength(1)
    expect((await models(home, 'pull', '--from', 'ftp://here')).error).toBe(
      'UsageError: "ftp://here" is not a URL: --from https://…',
    )
  })

  test('does not fetch again what is there, unless it has to', async () => {
    const { base, asked } = await startHub(404)
    const home = newHome()
    tinyModel(join(home, 'models', 'all-MiniLM-L6-v2'))
    expect((await models(home, 'pull', '--from', base)).out).toMatch(
      /is already in .*; --force downloads it again\.$/m,
    )
    expect(asked).toEqual([])
    expect((await models(home, 'pull', '--force', '--from', base)).error).toContain('404')
  })
})

test('what it cannot do is refused with its usage', async () => {
  const home = newHome()
  expect((await models(home, 'push')).error).toMatch(
    /^UsageError: 'mainstem models' has no 'push'\. Usage: mainstem models \[list/,
  )
  expect((await models(home, 'use')).error).toBe('UsageError: Missing DIR. Usage: mainstem models use DIR')
})

test('the program has the command', async () => {
  const { code, out } = await run(['help', 'models'])
  expect(code).toBe(0)
  expect(out).toContain('Usage: mainstem models [list [--json] | pull [--from URL] [--force] | use DIR]')
})

/** Answers everything with this status. */
async function startHub(status: number): Promise<{ readonly base: string; readonly asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(status).end('something else')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}
