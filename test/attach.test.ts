import { writeFileSync } from 'node:fs'
import { join as pathOf } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Entry, ScreenHappening } from '../src/channel/terminal/port.ts'
import { attachedSeat } from '../src/cli/talk/attached-seat.ts'
import { openOwnLife, type OwnLife } from '../src/cli/talk/own-life.ts'
import { OwnerClient, OwnerGone } from '../src/client/socket.ts'
import type { StepInput } from '../src/model/scripted.ts'
import { readOwner, type Owner } from '../src/owner/owner-file.ts'
import { ChatPort, type TakeSeat } from '../src/runtime/terminal/chat-port.ts'
import { ChatSeat, type SeatHappening, type Seen } from '../src/runtime/terminal/chat-seat.ts'
import { typedInbound } from '../src/runtime/terminal/place.ts'
import { tempFolder } from './cli/run.ts'

function fail(error: unknown): never {
  throw error
}

interface OwnerOptions {
  readonly home?: string
  readonly steps?: readonly StepInput[]
  readonly permissions?: string
}

/** An owner that others can attach to; closed with the test at the latest. */
async function owner(options: OwnerOptions = {}): Promise<OwnLife & { readonly home: string }> {
  const { home = tempFolder(), steps = [], permissions = 'dontAsk' } = options
  const script = pathOf(tempFolder(), 'script.json')
  writeFileSync(script, JSON.stringify(steps))
  const model = steps.length > 0 ? `scripted:${script}` : 'offline'
  const flags = { model, timezone: 'UTC', permissions }
  const own = await openOwnLife({ home, command: 'test', environment: {}, flags, fail })
  await own.listen({ rank: 'chat' })
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => (closing ??= own.close())
  onTestFinished(close)
  return { ...own, home, close }
}

/** A screen that remembers what it shows, and whose seat is exchanged by the test. */
function screen() {
  const port = new ChatPort({ files: () => [], installed: async () => [] })
  const told: ScreenHappening[] = []
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const sit = (take: TakeSeat) => port.sit(take, leaving.signal)
  const isShown = port.isOpen.then(() => port.watch((happening) => told.push(happening)))
  return {
    port,
    told,
    /** In this process, as an owner's own screen. */
    sitAt: ({ life, seats }: Pick<OwnLife, 'life' | 'seats'>) =>
      sit(({ seen, tell }) => new ChatSeat({ life, seats, seen, tell, fail, folder: process.cwd() })),
    /** Over the socket. */
    attach: (home: string) => {
      const owner = readOwner(home) as Owner
      return sit(
        attachedSeat({ client: new OwnerClient(owner.socket, 'terminal'), owner }, { fail, onWait: fail }),
      )
    },
    take: sit,
    isShown,
    entries: () => told.flatMap((each) => (each.kind === 'entry' ? words(each.entry) : [])),
  }
}

function words(entry: Entry): string {
  return `${entry.kind}: ${'text' in entry ? entry.text : entry.name}`
}

const asked = (told: readonly ScreenHappening[]) =>
  told.flatMap((one) => (one.kind === 'question-asked' ? one : []))
const reply = (text: string, pieces?: string[]): StepInput => ({ reply: { text }, ...(pieces && { pieces }) })

describe.each(['in one process', 'over the socket'] as const)(
  'two screens at one conversation, %s',
  (where) => {
    async function two(options: OwnerOptions) {
      const own = await owner(options)
      const [first, second] = [screen(), screen()]
      void first.sitAt(own)
      void (where === 'over the socket' ? second.attach(own.home) : second.sitAt(own))
      await Promise.all([first.isShown, second.isShown])
      return { own, first, second }
    }

    test('both show all that is typed and answered, each once', async () => {
      const { own, first, second } = await two({ steps: [reply('first', ['fi', 'rst']), reply('second')] })
      await first.port.submit('from the first')
      await expect.poll(() => second.entries()).toEqual(['said: from the first', 'answer: first'])
      await second.port.submit('from the second')
      for (const { entries } of [first, second])
        await expect
          .poll(() => entries())
          .toEqual(['said: from the first', 'answer: first', 'said: from the second', 'answer: second'])
      const pieces = second.told.flatMap((each) => (each.kind === 'piece' ? each.text : []))
      expect(pieces.slice(0, 2)).toEqual(['fi', 'rst'])
      const done = await Array.fromAsync(own.life.log.events({ kind: 'delivery-done' }))
      expect(done).toHaveLength(2)
    })

    test('[ORDER1] after Esc with a queued question, each question stands above its own answer', async () => {
      const never: StepInput = { delayMs: 3_600_000, reply: { text: 'never' } }
      const { first, second } = await two({ steps: [never, reply('B.'), reply('C.')] })
      await first.port.submit('a?')
      await expect.poll(() => first.told.map(({ kind }) => kind)).toContain('turn-started')
      await first.port.submit('b?')
      for (const { told } of [first, second])
        await expect
          .poll(() => told.findLast(({ kind }) => kind === 'queued'))
          .toEqual({ kind: 'queued', texts: ['b?'] })
      expect(first.entries()).toEqual(['said: a?'])
      await second.port.stop()
      const all = ['said: a?', 'said: /stop', 'output: Stopped.', 'said: b?', 'answer: B.']
      for (const { entries } of [first, second]) await expect.poll(() => entries()).toEqual(all)
      await second.port.submit('c?')
      for (const { entries } of [first, second])
        await expect.poll(() => entries()).toEqual([...all, 'said: c?', 'answer: C.'])
      expect(first.told.findLast(({ kind }) => kind === 'queued')).toEqual({ kind: 'queued', texts: [] })
    })

    test('/exit closes the screen on which it was typed', async () => {
      const { first, second } = await two({})
      await second.port.submit('/exit')
      await expect.poll(() => second.told.map(({ kind }) => kind)).toContain('leave')
      expect(first.told.map(({ kind }) => kind)).not.toContain('leave')
    })

    test('[RIGHT1] a screen attaches from the folder of its person, also by a command that waits', async () => {
      const { second } = await two({ steps: [reply('Seen.'), reply('Again.')] })
      await second.port.submit('/attach package.json')
      await expect.poll(() => second.entries().join('\n')).toContain('Sent: [document package.json')
      await second.port.submit('/mark A\n/attach tsconfig.json')
      await expect.poll(() => second.entries().join('\n')).toContain('Sent: [document tsconfig.json')
    })

    test('a refused text is refused where it was typed', async () => {
      const { second } = await two({})
      await expect(second.port.submit('x'.repeat(17 * 1024 * 1024))).rejects.toThrow('at most 1,000,000')
      await second.port.submit('hello')
      await expect.poll(() => second.entries()).toHaveLength(2)
    })

    test('one that opens in the middle of a turn sees what was written so far, and can answer its question', async () => {
      const write = { calls: [{ tool: 'write', args: { path: 'a.md', content: 'x' } }] }
      const { own, first, second } = await two({ steps: [write, reply('Written.')], permissions: 'default' })
      await first.port.submit('write it')
      await expect
        .poll(() => asked(second.told))
        .toMatchObject([{ where: 'in-front', question: { approval: 1 } }])
      const third = screen()
      void third.attach(own.home)
      await third.isShown
      expect(third.port.past.map(words)).toEqual([
        'said: write it',
        expect.stringMatching(/^question: Allow `write`/),
      ])
      await expect.poll(() => third.told[0]).toMatchObject({ kind: 'turn-started' })
      await expect
        .poll(() => asked(third.told))
        .toMatchObject([{ where: 'aside', question: { approval: 1 } }])
      await third.port.submit('/approve 1')
      for (const { told } of [first, second, third])
        await expect
          .poll(() => told)
          .toContainEqual({ kind: 'question-closed', approval: 1, how: 'answered' })
      await expect.poll(() => second.entries().at(-1)).toBe('answer: Written.')
    })
  },
)

test('a screen that is stopped loses its seat, and the others get their messages', async () => {
  const { life, seats } = await owner()
  const [stopped, other] = [screen(), screen()]
  const lost = stopped.take(({ seen, tell, lose }) => {
    const quiet = (happening: SeatHappening): void => {
      if (happening.kind === 'opened') tell(happening)
    }
    return new ChatSeat({ life, seats, seen, tell: quiet, fail, patience: { ms: 10, over: lose } })
  })
  await stopped.isShown
  await life.receive(typedInbound('/mark A', { origin: 'terminal', key: 'a' }))
  expect(await lost).toBe('lost')
  void other.sitAt({ life, seats })
  await expect.poll(() => other.entries()).toEqual(["output: Checkpoint 'A' created."])
})

describe('[OWNER1] a screen whose owner is gone', () => {
  test('goes on with the next owner: what it missed is shown, and nothing twice', async () => {
    const own = await owner({ steps: [reply('one')] })
    const { home } = own
    const [lasting, other] = [screen(), screen()]
    const lost = lasting.attach(home)
    void other.sitAt(own)
    await Promise.all([lasting.isShown, other.isShown])
    await lasting.port.submit('first')
    await expect.poll(() => lasting.entries()).toEqual(['said: first', 'answer: one'])
    await own.close()
    expect(await lost).toBe('lost')
    const next = await owner({ home, steps: [reply('two'), reply('three')] })
    const third = screen()
    void third.attach(home)
    await third.isShown
    await third.port.submit('while you were away')
    await expect.poll(() => third.entries()).toEqual(['said: while you were away', 'answer: two'])
    const later = ['said: while you were away', 'answer: two', 'said: and now?', 'answer: three']
    // Typed while there was no owner.
    const waiting = lasting.port.submit('and now?')
    void lasting.attach(home)
    await waiting
    await expect.poll(() => lasting.entries()).toEqual(['said: first', 'answer: one', ...later])
    await expect.poll(() => third.entries()).toEqual(later)
    const admitted = await Array.fromAsync(next.life.log.events({ kind: 'inbound-admitted' }))
    expect(admitted).toHaveLength(3)
  })

  test('hands in again what may be in the log, and it is done once', async () => {
    const own = await owner()
    const lasting = screen()
    /** A connection that breaks after the owner has received the text and before it says so. */
    const breaking: TakeSeat = ({ seen, tell, lose }) => {
      const { life, seats } = own
      const quiet = (happening: SeatHappening): void => {
        if (happening.kind === 'opened') tell(happening)
      }
      const seat = new ChatSeat({ life, seats, seen, tell: quiet, fail })
      return {
        typed: async (key, text) => {
          await seat.typed(key, text)
          lose()
          throw new OwnerGone('it broke')
        },
        shown: () => undefined,
        close: () => seat.close(),
      }
    }
    const lost = lasting.take(breaking)
    await lasting.isShown
    const submitted = lasting.port.submit('/mark A')
    expect(await lost).toBe('lost')
    void lasting.attach(own.home)
    await submitted
    await expect.poll(() => lasting.entries()).toEqual(['said: /mark A', "output: Checkpoint 'A' created."])
    const marks = await Array.fromAsync(own.life.log.events({ kind: 'mark-set' }))
    expect(marks).toHaveLength(1)
    await expect.poll(() => lasting.told.filter(({ kind }) => kind === 'command-ended')).toHaveLength(1)
  })

  test('shows a delivery once, also when the owner died before it wrote that it was shown', async () => {
    const lasting = screen()
    const opened = { kind: 'opened', past: [], typed: [], said: 3, status: {}, known: {} }
    const delivered = { kind: 'delivered', id: 9, entries: [{ kind: 'notice', text: 'once' }] }
    const acknowledged: number[] = []
    const seens: (Seen | undefined)[] = []
    const owned: TakeSeat = ({ seen, tell, lose }) => {
      seens.push(seen)
      queueMicrotask(() => {
        tell({ ...opened, shown: seen?.shown ?? 4 } as unknown as SeatHappening)
        tell(delivered as unknown as SeatHappening)
      })
      const shown = (id: number): void => {
        acknowledged.push(id)
        if (acknowledged.length === 1) lose()
      }
      return { typed: async () => undefined, shown, close: () => undefined }
    }
    const lost = lasting.take(owned)
    await lasting.isShown
    expect(lasting.entries()).toEqual(['notice: once'])
    expect(await lost).toBe('lost')
    void lasting.take(owned)
    await expect.poll(() => acknowledged).toEqual([9, 9])
    expect(lasting.entries()).toEqual(['notice: once'])
    expect(seens).toEqual([undefined, { said: 3, shown: 9, asked: [] }])
  })

  test('is told when the log goes to another process', async () => {
    const own = await owner()
    const lasting = screen()
    const gone = lasting.attach(own.home)
    await lasting.isShown
    void own.isWanted.then(() => own.close())
    await new OwnerClient(readOwner(own.home)?.socket ?? '').call('POST', '/api/owner/hand-over')
    expect(await gone).toBe('handed-over')
  })
})
