import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { localServers } from '../src/runtime/home/found-models.ts'
import { offerModel, type Question } from '../src/cli/talk/chat.ts'
import { defaultModels } from '../src/model/known-models.ts'
import { writeOwner } from '../src/owner/owner-file.ts'
import { readConfig } from '../src/config/config.ts'
import type { Environment } from '../src/config/table/source.ts'
import type { Prompt } from '../src/event/prompt.ts'
import type { HostSource } from '../src/event/work.ts'
import { knownModel } from '../src/model/known-models.ts'
import { agentsTemplate } from '../src/runtime/home/workspace.ts'
import { agentsFile } from '../src/runtime/home/workspace.ts'
import { fixtureHome, run, runProcess, tempFolder } from './cli/run.ts'

function modeOf(path: string): number {
  return statSync(path).mode & 0o777
}

describe('the first start', () => {
  test("makes a home that is its owner's alone, says so once, and says when AGENTS.md changed", async () => {
    const home = join(tempFolder(), 'deep', 'home')
    const first = await runProcess(['-p', 'hello there'], { home })
    expect(first.code).toBe(0)
    expect(first.err.trimEnd().split('\n')).toHaveLength(1)
    for (const told of [home, 'The model is offline', 'mainstem config set model', agentsFile(home)])
      expect(first.err).toContain(told)
    expect([home, join(home, 'workspace')].map(modeOf)).toEqual([0o700, 0o700])
    expect([join(home, 'config.json'), agentsFile(home)].map(modeOf)).toEqual([0o600, 0o600])
    expect(readFileSync(join(home, 'config.json'), 'utf8')).toContain('// "model": ')
    expect(readFileSync(agentsFile(home), 'utf8')).toBe(agentsTemplate)

    expect((await run([], { home })).err).toBe('')

    writeFileSync(agentsFile(home), 'Be brief.')
    const changed = await run([], { home })
    expect(changed.err).toMatch(/^mainstem: AGENTS\.md or the tools changed since the last start[^\n]*\n$/)

    rmSync(agentsFile(home))
    expect((await run(['-p', '/system'], { home })).out).toMatch(/^The system text is empty/)
    expect(existsSync(agentsFile(home))).toBe(false)
  })

  test('a first prompt takes at most 16 kB, and says of every tool and argument what it is for', async () => {
    const home = join(tempFolder(), 'home')
    await runProcess(['-p', 'hello there'], { home })
    const { out } = await run(['context', '--turn', 'last', '--raw'], { home })
    expect(Buffer.byteLength(out)).toBeLessThan(16_000)
    const { system, tools } = JSON.parse(out) as Pick<Prompt, 'system' | 'tools'>
    expect(tools.filter(({ description }) => !/ .+\.$/.test(description)).map(({ name }) => name)).toEqual([
      'slash',
    ])
    const bare = tools.flatMap(({ name, parameters }) =>
      Object.entries((parameters['properties'] ?? {}) as Record<string, object>)
        .filter(([, value]) => !('description' in value))
        .map(([argument]) => `${name} ${argument}`),
    )
    expect(bare).toEqual([
      'report_updates message',
      'ping_user message',
      'send_embed description',
      'send_embed title',
    ])
    const named = [...system.matchAll(/`([a-z]+(?:_[a-z]+)*)`/g)].map(([, name]) => name)
    expect(named).toContain('recall')
    expect([...tools.map(({ name }) => name), 'parent']).toEqual(expect.arrayContaining(named))
  })

  test('AGENTS.md explains every tag that the host puts before a message', () => {
    const tags: Record<HostSource['tag'] | 'button', string> = {
      'fork-started': 'mailed to your parent',
      'fork-timeout': 'Save, report or exit',
      system: 'the host tells you',
      routine: 'answer the person',
      'routine-bg': 'nobody reads your answer',
      reminder: 'answer the person',
      'reminder-bg': 'nobody reads your answer',
      webhook: 'finish silently',
      button: 'pressed a button',
    }
    const items = agentsTemplate.split('\n- ')
    for (const [tag, words] of Object.entries(tags))
      expect(
        items.find((item) => new RegExp(`\\[${tag}(:ID)?\\]`).test(item))?.replaceAll(/\s+/g, ' '),
      ).toContain(words)
  })

  test("doctor shows the template's sections that a person's AGENTS.md lacks, and never changes the file", async () => {
    const home = fixtureHome()
    mkdirSync(join(home, 'workspace'), { recursive: true })
    const doctor = async (): Promise<string> => (await run(['doctor'], { home })).out
    expect(await doctor()).not.toContain('AGENTS.md')
    // A program in a box leaves it so where there is none.
    writeFileSync(agentsFile(home), '')
    expect(await doctor()).not.toContain('AGENTS.md')
    writeFileSync(agentsFile(home), agentsTemplate)
    expect(await doctor()).toContain('AGENTS.md has every section of the template')
    writeFileSync(agentsFile(home), 'Be brief.\n\n## Memory\n\nMine.\n')
    const out = await doctor()
    expect(out).toContain('AGENTS.md lacks 2 sections of the template, shown below')
    expect(out).toMatch(
      /\n\n# Working beside the conversation\n\n- A tangent [^]*\n\n# Messages from the host\n/,
    )
    expect(out).not.toContain('# Memory\n')
    expect(readFileSync(agentsFile(home), 'utf8')).toBe('Be brief.\n\n## Memory\n\nMine.\n')
  })

  test('on a log that was there before makes what is missing', async () => {
    const home = fixtureHome()
    const { code, err } = await run([], { home })
    expect(code).toBe(0)
    expect(err).toContain('First start')
    expect(existsSync(agentsFile(home))).toBe(true)
  })

  test('in a home that cannot be used says why, without a stack trace', async () => {
    const home = tempFolder()
    writeFileSync(join(home, 'workspace'), 'a file')
    const { code, err } = await run(['-p', 'hello'], { home })
    expect(code).toBe(1)
    expect(err).toMatch(/^mainstem: the home .* cannot be used: .*workspace/)
    expect(err).not.toMatch(/^\s+at /m)
  })
})

describe('a model is offered', () => {
  interface Offered {
    readonly questions: readonly string[]
    readonly model: string | null
    readonly outcome: 'done' | 'interrupted'
  }

  const CTRL_C = '\u0003'

  /** Nobody listens on this port, so there is no Ollama unless a test starts one. */
  const NO_OLLAMA = { OLLAMA_HOST: '127.0.0.1:9' }

  async function offered(
    environment: Environment,
    answers: readonly (string | undefined)[],
    {
      home = join(tempFolder(), 'home'),
      servers = [],
    }: { home?: string; servers?: typeof localServers } = {},
  ): Promise<Offered> {
    const questions: string[] = []
    const ask: Question = async (text) => {
      const answer = answers[questions.length]
      questions.push(text)
      return answer === CTRL_C ? 'interrupted' : { line: answer }
    }
    const place = { home, environment: { ...NO_OLLAMA, ...environment } }
    const outcome = await offerModel(place, ask, servers)
    return { questions, model: readConfig(place).values.model, outcome }
  }

  test('to whoever has a key, and the answer is remembered either way', async () => {
    const home = join(tempFolder(), 'home')
    const environment = { ANTHROPIC_API_KEY: 'sk-ant' }
    const question = `Use ${defaultModels.anthropic} from ANTHROPIC_API_KEY? [Y/n] `
    const yes = await offered(environment, [''], { home })
    expect(yes).toEqual({ questions: [question], model: defaultModels.anthropic, outcome: 'done' })
    expect((await offered(environment, [], { home })).questions).toEqual([])

    const other = join(tempFolder(), 'home')
    const no = await offered(environment, ['n'], { home: other })
    expect(no).toEqual({ questions: [question], model: 'offline', outcome: 'done' })
    expect((await offered(environment, [], { home: other })).questions).toEqual([])
  })

  test('[MODEL1] to nobody whose home has a model, in another process or in one that ended', async () => {
    const environment = { ANTHROPIC_API_KEY: 'sk-ant' }
    const unasked = { questions: [], model: null, outcome: 'done' }
    const scripted = join(tempFolder(), 'script.json')
    writeFileSync(scripted, JSON.stringify([{ reply: { text: 'Yes.' } }]))
    const ended = join(tempFolder(), 'home')
    const asked = await run(['-p', 'Hi'], {
      home: ended,
      environment: { MAINSTEM_MODEL: `scripted:${scripted}` },
    })
    expect(asked).toMatchObject({ code: 0, out: 'Yes.\n' })
    expect(await offered(environment, ['n'], { home: ended })).toEqual(unasked)

    const busy = join(tempFolder(), 'home')
    mkdirSync(join(busy, 'run'), { recursive: true })
    const owner = { pid: 1, rank: 'serve', version: '0.1.0', socket: '/nowhere', since: 0 } as const
    writeOwner(busy, { ...owner, command: 'mainstem serve' })
    expect(await offered(environment, ['n'], { home: busy })).toEqual(unasked)
  })

  test('one after the other where there are several keys, also those of .env', async () => {
    const home = join(tempFolder(), 'home')
    mkdirSync(home)
    writeFileSync(join(home, '.env'), 'OPENAI_API_KEY=sk-1\n')
    const { questions, model } = await offered({ GEMINI_API_KEY: 'g-1' }, ['no', 'YES'], { home })
    expect(questions).toEqual([
      `Use ${defaultModels.openai} from OPENAI_API_KEY? [Y/n] `,
      `Use ${defaultModels.google} from GEMINI_API_KEY? [Y/n] `,
    ])
    expect(model).toBe(defaultModels.google)
  })

  test('of an Ollama that answers, one that can talk', async () => {
    const server = createServer((_, response) =>
      response.end(JSON.stringify({ models: [{ name: 'nomic-embed-text:latest' }, { name: 'qwen3:8b' }] })),
    )
    onTestFinished(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const { questions, model } = await offered({ OLLAMA_HOST: `0.0.0.0:${port}` }, ['y'])
    expect(questions).toEqual([`Use ollama/qwen3:8b from Ollama at http://127.0.0.1:${port}? [Y/n] `])
    expect(model).toBe('ollama/qwen3:8b')
  })

  test('of LM Studio or llama.cpp, with its address; something else on the same port is not asked for', async () => {
    expect(localServers.map(({ url }) => new URL(url).port)).toEqual(['1234', '8080'])
    const server = createServer((_, response) =>
      response.end(
        JSON.stringify({ data: [{ id: 'text-embedding-nomic' }, { id: 'qwen3-8b', owned_by: 'me' }] }),
      ),
    )
    onTestFinished(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    const home = join(tempFolder(), 'home')
    const servers = [
      { name: 'llama.cpp', url, owner: /llama/ },
      { name: 'LM Studio', url },
    ]
    const { questions, model } = await offered({}, [''], { home, servers })
    expect(questions).toEqual([`Use openai-compatible/qwen3-8b from LM Studio at ${url}? [Y/n] `])
    expect(model).toBe('openai-compatible/qwen3-8b')
    expect(readConfig({ home, environment: {} }).values.openaiCompatible.url).toBe(url)
  })

  test('not where an Ollama takes longer than 300 ms, or is something else', async () => {
    const server = createServer((request, response) => {
      if (request.headers.host?.startsWith('localhost') === true) response.end('<html>')
    })
    onTestFinished(() => server.closeAllConnections())
    onTestFinished(() => void server.close())
    await once(server.listen(0), 'listening')
    const { port } = server.address() as AddressInfo
    expect(await offered({ OLLAMA_HOST: `127.0.0.1:${port}` }, [])).toMatchObject({
      questions: [],
      model: null,
    })
    expect(await offered({ OLLAMA_HOST: `localhost:${port}` }, [])).toMatchObject({ questions: [] })
  })

  test('not where one is chosen, and nothing is written where nobody answered or nothing was found', async () => {
    const key = { OPENROUTER_API_KEY: 'or-1' }
    expect((await offered({ ...key, MAINSTEM_MODEL: 'offline' }, [])).questions).toEqual([])
    expect(await offered(key, [undefined])).toMatchObject({ model: null, outcome: 'done' })
    expect(await offered(key, [CTRL_C])).toMatchObject({ model: null, outcome: 'interrupted' })
    expect(await offered({}, [])).toEqual({ questions: [], model: null, outcome: 'done' })
  })

  test.each(Object.values(defaultModels))('%s is one whose size and price are known', (model) => {
    expect(knownModel(model).price).toBeDefined()
  })
})
