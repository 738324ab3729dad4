import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Entry, ScreenHappening, TerminalPort } from '../src/channel/terminal/port.ts'
import { ollamaFound } from '../src/runtime/home/found-models.ts'
import { startNotices } from '../src/cli/talk/start-notices.ts'
import type { StepInput } from '../src/model/scripted.ts'
import { openLife, type Life } from '../src/runtime/life/life.ts'
import { terminalAddress, typedInbound } from '../src/runtime/terminal/place.ts'
import { ChatPort } from '../src/runtime/terminal/chat-port.ts'
import { ChatSeat } from '../src/runtime/terminal/chat-seat.ts'
import { Seats } from '../src/runtime/terminal/seats.ts'
import { tempFolder } from './cli/run.ts'

/** A life with a terminal, and a screen that only remembers what it is told. */
interface Chat {
  readonly life: Life
  readonly port: TerminalPort
  readonly told: ScreenHappening[]
  readonly entries: () => Entry[]
  /** Types a text and waits until all that it causes is done. */
  readonly say: (text: string) => Promise<void>
  readonly close: () => Promise<void>
}

interface ChatOptions {
  readonly home?: string
  readonly steps?: readonly StepInput[]
  readonly screen?: 'open' | 'not-yet'
  readonly permissions?: string
  readonly installed?: ConstructorParameters<typeof ChatPort>[0]['installed']
}

async function openChat({
  home = tempFolder(),
  steps = [],
  screen = 'open',
  permissions = 'dontAsk',
  installed = async () => [],
}: ChatOptions = {}): Promise<Chat> {
  const script = join(tempFolder(), 'script.json')
  writeFileSync(script, JSON.stringify(steps))
  const failures: unknown[] = []
  const fail = (error: unknown): void => void failures.push(error)
  const seats = new Seats(fail)
  const life = await openLife({
    home,
    command: 'test',
    environment: {},
    flags: { model: steps.length > 0 ? `scripted:${script}` : 'offline', timezone: 'UTC', permissions },
    conversation: terminalAddress,
    fail,
    ...seats.company,
  })
  seats.open(life)
  const port = new ChatPort({ files: () => [], installed })
  const leaving = new AbortController()
  const sitting = port.sit(
    ({ seen, tell }) => new ChatSeat({ life, seats, seen, tell, fail }),
    leaving.signal,
  )
  await port.isOpen
  const told: ScreenHappening[] = []
  if (screen === 'open') port.watch((happening) => told.push(happening))
  let isOpen = true
  const close = async (): Promise<void> => {
    if (!isOpen) return
    isOpen = false
    leaving.abort()
    await sitting
    await life.close()
    expect(failures).toEqual([])
  }
  onTestFinished(close)
  const say = async (text: string): Promise<void> => {
    await port.submit(text)
    await life.agent.settled()
  }
  return { life, port, told, entries: () => told.flatMap(entryIn), say, close }
}

function entryIn(happening: ScreenHappening): Entry[] {
  return happening.kind === 'entry' ? [happening.entry] : []
}

/** `said: hello`, `output!: no such thing` */
function shown(entry: Entry): string {
  const words = 'text' in entry ? entry.text : `${entry.name} ${entry.summary}`
  return `${entry.kind}${'isError' in entry && entry.isError ? '!' : ''}: ${words}`
}

const reply = (text: string, pieces?: string[]): StepInput => ({
  reply: { text },
  ...(pieces && { pieces }),
})
const slow = (text: string): StepInput => ({ delayMs: 60_000, reply: { text } })

test('the models that Ollama has are offered while /model is typed, and nobody waits for them', async () => {
  const models = [{ name: 'qwen3:8b' }, { name: 'nomic-embed' }]
  const server = createServer((_, response) => response.end(JSON.stringify({ models }))).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const asked = Promise.withResolvers<void>()
  const installed = () => asked.promise.then(() => ollamaFound(address))
  const { port } = await openChat({ installed })
  const offered = () => port.complete('/model ol').map(({ label, help }) => `${label}: ${help}`)
  expect(offered()).toEqual([])
  asked.resolve()
  await expect.poll(offered).toEqual([`ollama/qwen3:8b: Ollama at http://${address}`])
})

describe('what is told to the screen', () => {
  test('what was typed at once, then the turn: its pieces, its calls, its answer', async () => {
    const mark = { calls: [{ tool: 'slash', args: { command: 'mark', args: 'TASK' } }] }
    const { told, say } = await openChat({ steps: [mark, reply('all done', ['all ', 'done'])] })
    await say('mark it please')
    const steady = told.filter(({ kind }) => kind !== 'status' && kind !== 'queued')
    expect(steady.map(({ kind }) => kind)).toEqual([
      'turn-started',
      'entry',
      'pieces-void',
      'call-started',
      'entry',
      'piece',
      'piece',
      'turn-ended',
      'entry',
    ])
    expect(told.flatMap(entryIn).map(shown)).toEqual([
      'said: mark it please',
      "tool: slash mark TASK → Checkpoint 'TASK' created.",
      'answer: all done',
    ])
    expect(steady[3]).toEqual({ kind: 'call-started', name: 'slash', summary: 'mark TASK' })
  })

  test('that a call is tried again later is in the status while it waits', async () => {
    const limited = { error: { reason: 'rate-limited', retryAfterMs: 30_000 } } as const
    const { life, port, told } = await openChat({ steps: [limited] })
    await port.submit('hello')
    await expect.poll(() => port.status().retry).toMatchObject({ tries: 1, waiting: 0 })
    expect(port.status().retry?.seconds).toBeGreaterThan(0)
    expect(told).toContainEqual({ kind: 'pieces-void' })
    await port.submit('/stop')
    await life.agent.settled()
    await expect.poll(() => port.status().retry).toBeUndefined()
  })

  test('a refused command is an error, and a failed turn a notice', async () => {
    const { entries, say } = await openChat({
      steps: [{ error: { reason: 'rejected', message: 'no luck' } }],
    })
    await say('/rewind NOWHERE')
    await say('hello')
    const [, refused, , notice] = entries()
    expect(refused).toMatchObject({ kind: 'output', isError: true })
    expect(notice).toMatchObject({ kind: 'notice', text: expect.stringContaining('no luck') as string })
  })

  test('of other branches only what they have to say', async () => {
    const steps = [{ delayMs: 30, ...reply('found it', ['found', ' it']) }]
    const { told, entries, say } = await openChat({ steps })
    await say('/fork -- look for it')
    expect(told.filter(({ kind }) => kind === 'piece' || kind === 'turn-started')).toEqual([])
    expect(entries().map(shown)).toEqual([
      'said: /fork -- look for it',
      expect.stringMatching(/^output: Forked\. Child: \w{6}$/),
      expect.stringMatching(/^notice: \w{6} finished: found it$/),
    ])
  })

  test('a screen that opens late is told that a turn runs', async () => {
    const { life, port } = await openChat({ steps: [slow('never')], screen: 'not-yet' })
    const started = Promise.withResolvers<void>()
    life.agent.watch(({ kind }) => kind === 'turn-started' && started.resolve())
    await port.submit('hello')
    await started.promise
    const told: ScreenHappening[] = []
    port.watch((happening) => told.push(happening))
    expect(told).toContainEqual({ kind: 'turn-started', at: expect.any(Number) as number })
  })
})

test('what a start warns of before there is a screen is told to the first one, and later ones come at once', async () => {
  const home = tempFolder()
  mkdirSync(join(home, 'skills', 'broken'), { recursive: true })
  writeFileSync(join(home, 'skills', 'broken', 'SKILL.md'), '---\ndescription: a\n---\nb')
  writeFileSync(join(home, 'skills', 'broken', 'tools.json'), '{')
  const { port, told, say } = await openChat({ home, screen: 'not-yet' })
  expect(told).toEqual([])
  port.watch((happening) => told.push(happening))
  expect(told.flatMap(entryIn).map(shown)).toEqual([
    expect.stringMatching(/^notice: The skill 'broken' is not loaded: /),
  ])
  writeFileSync(join(home, 'config.json'), '{')
  await say('hello there')
  expect(told.flatMap(entryIn).map(shown)).toContainEqual(
    expect.stringMatching(/^notice: The configuration is invalid now/),
  )
})

test('a command is told of until it is done, whether it acts at once or waits in the inbox', async () => {
  const { port, told, say } = await openChat()
  await say('/cost')
  await say('/reload')
  await say('hello there')
  await expect.poll(() => told.filter(({ kind }) => kind === 'command-ended')).toHaveLength(2)
  expect(told.filter(({ kind }) => kind.startsWith('command'))).toEqual([
    { kind: 'command-started', id: 1, text: '/cost', at: expect.any(Number) as number },
    { kind: 'command-ended', id: 1 },
    { kind: 'command-started', id: 2, text: '/reload', at: expect.any(Number) as number },
    { kind: 'command-ended', id: 2 },
  ])
  const at = (kind: string, words: string): number =>
    told.findIndex((each) => each.kind === kind && JSON.stringify(each).includes(words))
  expect(at('entry', '"kind":"output","text":"Nothing')).toBeLessThan(at('command-ended', '"id":2'))
  expect(port.status().permissions).toBe('dontAsk')
})

const questions = (told: readonly ScreenHappening[]): unknown[] =>
  told.flatMap((each) => (each.kind === 'question-asked' ? [each] : []))

test('every start says that every call runs without asking, where that is so, and no other does', async () => {
  const home = tempFolder()
  const noticesWith = async (permissions: string): Promise<string> => {
    const { life, close } = await openChat({ home, permissions })
    const notices = await startNotices(life, { home, way: 'chat' })
    await close()
    return notices.join('\n')
  }
  const said =
    'Permission mode is bypassPermissions: every call runs without asking. /permissions dontAsk turns that off.'
  expect(await noticesWith('bypassPermissions')).toContain(`${said}\nFirst start`)
  expect(await noticesWith('bypassPermissions')).toBe(said)
  expect(await noticesWith('default')).toBe('')
})

describe('what waits for the person', () => {
  const remember = { calls: [{ tool: 'remember', args: { line: 'Ono is the dentist.' } }] }
  const write = { calls: [{ tool: 'write', args: { path: 'a.md', content: 'x' } }] }

  test('[SAFE4] a proposal of before can be turned to after a restart', async () => {
    const home = tempFolder()
    const first = await openChat({ home, steps: [remember, reply('I asked.')] })
    await first.say('my dentist is Ono')
    await first.close()
    const { port, told, say } = await openChat({ home })
    expect(port.status().approvals).toBe(1)
    expect(questions(told)).toMatchObject([
      { where: 'aside', question: { approval: 1, about: '+ Ono is the dentist.', unshown: null } },
    ])
    await say('/deny 1')
    expect(told).toContainEqual({ kind: 'question-closed', approval: 1, how: 'answered' })
  })

  test('[SAFE4] the question of a call is void after a restart: it is said, not counted and not asked', async () => {
    const home = tempFolder()
    const first = await openChat({ home, steps: [write], permissions: 'default' })
    await first.port.submit('write it')
    await expect.poll(() => questions(first.told)).toMatchObject([{ where: 'in-front' }])
    await expect.poll(() => first.port.status().approvals).toBe(1)
    expect(first.entries().map(shown).join('\n')).not.toContain('/approve')
    await first.close()
    const { port, told } = await openChat({ home, steps: [slow('never')], permissions: 'default' })
    expect(port.status()).toMatchObject({ approvals: 0, permissions: 'default' })
    expect(port.past.map(shown)).toEqual([
      'said: write it',
      expect.stringMatching(/^question: Allow `write` to /),
      'notice: Approval 1 was cancelled by a restart.',
    ])
    expect(questions(told)).toEqual([])
  })

  test('an answer that is refused does not close its question before it is heard', async () => {
    const { told, port } = await openChat({ steps: [remember, reply('I asked.')] })
    await port.submit('my dentist is Ono')
    await expect.poll(() => questions(told)).toHaveLength(1)
    await port.submit('/approve 1 always')
    expect(told.filter(({ kind }) => kind === 'question-closed')).toEqual([])
    await port.submit('/approve 1')
    expect(told).toContainEqual({ kind: 'question-closed', approval: 1, how: 'answered' })
  })
})

describe('the status', () => {
  test('is that of the branch the person talks to, and follows them into a fork and back', async () => {
    const { port, told, say } = await openChat()
    await say('hello there')
    expect(port.status()).toMatchObject({ branch: 'main', mode: 'main', model: 'offline', running: 0 })
    await say('/fork')
    const fork = told.findLast((happening) => happening.kind === 'status')?.status
    expect(fork).toMatchObject({ branch: expect.stringMatching(/^\w{6}$/) as string, mode: 'fork' })
    expect(port.status()).toEqual(fork)
    await say('hello in here')
    expect(told.flatMap(entryIn).at(-1)).toMatchObject({ kind: 'answer', branch: fork?.branch })
    await say('/exit')
    expect(port.status()).toMatchObject({ branch: 'main', mode: 'main' })
    const moves = told.flatMap((happening) => (happening.kind === 'status' ? (happening.movedBy ?? []) : []))
    expect(moves).toEqual(['person', 'person'])
  })

  test('says that somebody else took the conversation out of a fork', async () => {
    const exit = { calls: [{ tool: 'exit_fork', args: {} }] }
    const { told, say } = await openChat({ steps: [exit, reply('Bye.')] })
    await say('/fork')
    await say('that was all')
    await expect
      .poll(() =>
        told.findLast((happening) => happening.kind === 'status' && happening.movedBy !== undefined),
      )
      .toMatchObject({ status: { branch: 'main' }, movedBy: 'other' })
  })

  test('has the updates that wait for main, and the fork that is open elsewhere', async () => {
    const { port, told, say } = await openChat()
    await say('/fork')
    const fork = told.findLast((happening) => happening.kind === 'status')?.status.branch
    expect(port.status()).toMatchObject({ updates: 0, openFork: null })
    await say('/switch main')
    await expect.poll(() => port.status()).toMatchObject({ branch: 'main', openFork: fork })
    await say(`/switch ${fork ?? ''}`)
    await say('hello')
    await say('/report Tulips in March.')
    await expect.poll(() => port.status()).toMatchObject({ branch: 'main', updates: 1, openFork: null })
    await say('and?')
    await expect.poll(() => port.status()).toMatchObject({ updates: 0 })
  })

  test('counts unread mail and branches at work, and the prompt as it grows', async () => {
    const { port, say } = await openChat()
    const { tokens, tokensMax } = port.status()
    expect(tokensMax).toBeGreaterThan(tokens)
    await say('/fork -- look for it')
    await expect.poll(() => port.status()).toMatchObject({ unreadMail: 1, running: 0 })
    await say('hello there')
    await expect.poll(() => port.status().tokens).toBeGreaterThan(tokens)
    // Its turn was told of the mail, and its answer is there.
    await expect.poll(() => port.status().unreadMail).toBe(0)
  })

  test('is told ten times a second at most', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { told, say } = await openChat()
    const before = told.length
    for (let count = 0; count < 40; count++) {
      await say(`/note number ${count}`)
      vi.advanceTimersByTime(5)
    }
    const times = told.slice(before).filter(({ kind }) => kind === 'status').length
    expect(times).toBeGreaterThan(0)
    expect(times).toBeLessThanOrEqual(3)
  })
})

describe('what was said before', () => {
  test('is there when the screen opens again, with the lines for the arrow keys', async () => {
    const home = tempFolder()
    const first = await openChat({ home })
    for (const line of ['hello there', '/mark A', '/rewind B', '/context', '/context']) await first.say(line)
    const told = first.entries().map(shown)
    await first.close()
    const { port } = await openChat({ home })
    expect(port.past.map(shown)).toEqual(told)
    expect(port.past[0]).toMatchObject({ at: expect.any(Number) as number })
    expect(port.typed).toEqual(['hello there', '/mark A', '/rewind B', '/context'])
  })

  test('is only the end of a long conversation', async () => {
    const home = tempFolder()
    const first = await openChat({ home })
    for (let count = 0; count < 40; count++) await first.say(`/note number ${count}`)
    await first.close()
    const { port } = await openChat({ home })
    expect(port.past).toHaveLength(30)
    expect(port.past.map(shown).at(-2)).toBe('said: /note number 39')
    expect(port.typed).toHaveLength(40)
  })

  test('an answer that no screen has shown is shown by the next one, once', async () => {
    const home = tempFolder()
    const first = await openChat({ home, screen: 'not-yet' })
    await first.life.receive(typedInbound('hello there', { origin: 'terminal', key: 'k1' }))
    const isAnswered = (): boolean => first.life.agent.busy.length === 0
    await expect.poll(isAnswered).toBe(true)
    await first.close()
    const next = await openChat({ home })
    await next.life.agent.settled()
    expect(next.port.past.map(shown)).toEqual(['said: hello there'])
    expect(next.entries().map(shown)).toEqual([expect.stringMatching(/^answer: Hello!/)])
    await next.close()
    const last = await openChat({ home })
    expect(last.port.past).toHaveLength(2)
    expect(last.entries()).toEqual([])
  })
})

test('stop ends the running turn, says so now and after a restart, and whether there was one', async () => {
  const home = tempFolder()
  const { port, told, entries, close } = await openChat({ home, steps: [slow('never')] })
  expect(await port.stop()).toBe(false)
  await port.submit('hello')
  await expect.poll(() => told.map(({ kind }) => kind)).toContain('turn-started')
  expect(await port.stop()).toBe(true)
  expect(told.map(({ kind }) => kind)).toContain('turn-ended')
  await expect.poll(() => entries().map(shown)).toEqual(['said: hello', 'said: /stop', 'output: Stopped.'])
  await close()
  const next = await openChat({ home })
  expect(next.port.past.map(shown)).toEqual(['said: hello', 'said: /stop', 'output: Stopped.'])
})

test('a message that was sent during a turn is taken when the turn has ended', async () => {
  const { life, port, told } = await openChat({ steps: [slow('never'), reply('second answer')] })
  const queued = () => told.findLast((one) => one.kind === 'queued')?.texts
  await port.submit('hello')
  await expect.poll(() => life.agent.busy.length).toBe(1)
  await port.submit('second')
  await expect.poll(queued).toEqual(['second'])
  await port.stop()
  await expect.poll(queued).toEqual([])
  await life.agent.settled()
})

test('completions know the marks, newest first, and the branches that live', async () => {
  const { port, say } = await openChat()
  for (const line of ['hello there', '/mark ONE', 'thanks', '/mark TWO', '/fork -- look for it'])
    await say(line)
  await expect.poll(() => port.complete('/kill ').length).toBe(1)
  expect(port.complete('/rewind ').map(({ line }) => line)).toEqual(['/rewind TWO', '/rewind ONE'])
  expect(port.complete('/kill ')[0]).toMatchObject({ help: "child 'look for it'" })
  expect(port.complete('/rew').map(({ line }) => line)).toEqual(['/rewind '])
})

test('/exit in main leaves once the goodbye was shown', async () => {
  const { told, say } = await openChat()
  await say('/exit')
  await expect.poll(() => told).toContainEqual({ kind: 'leave' })
  expect(told.flatMap(entryIn).map(shown)).toEqual(['said: /exit', 'output: Goodbye.'])
})
