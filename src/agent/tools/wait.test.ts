import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Scene } from '../../../test/model/scene.ts'
import type { JsonObject } from '../../base/json.ts'
import { contextProjections } from '../../context/fold.ts'
import { handleOf, type Position, type TurnId } from '../../event/id.ts'
import type { Log } from '../../log/log.ts'
import { openMemoryLog } from '../../log/memory.ts'
import { ModelError } from '../../model/contract/model.ts'
import type { Sleep } from '../../model/contract/sleep.ts'
import { agentProjection } from '../state/fold.ts'
import { takeInbox } from '../step/take-inbox.ts'
import { waitTool, type WaitParts } from './wait.ts'

const DAY_MS = 24 * 60 * 60 * 1000

interface Waited {
  ended: string
  branches: { id: string; status: string }[]
}

/** Sleeps until it is told that the time is up. */
class Alarm {
  readonly asked: number[] = []
  sleeping = 0
  #rings: (() => void)[] = []

  readonly sleep: Sleep = (ms, signal) =>
    new Promise((resolve, reject) => {
      this.asked.push(ms)
      this.sleeping++
      signal.addEventListener('abort', () => {
        this.sleeping--
        reject(new ModelError('aborted', 'stopped'))
      })
      this.#rings.push(resolve)
    })

  ring(): void {
    for (const ring of this.#rings) ring()
  }
}

/** Resolves once it holds of the log, looked at whenever the log has changed. */
class Onlooker {
  readonly #log: Log
  readonly #looks = new Set<() => void>()

  constructor(log: Log) {
    this.#log = log
  }

  readonly changed = (): void => {
    this.#looks.forEach((look) => look())
  }

  readonly until: WaitParts['until'] = (holds, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const look = (): void => {
      this.#log.read(holds).then((isSo) => isSo && resolve(true), reject)
    }
    const abort = (): void => resolve(false)
    this.#looks.add(look)
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    else look()
    return promise.finally(() => this.#looks.delete(look))
  }
}

/** A log with a main session in which the test writes what branches do, and the tool in the hands of one of them. */
async function worldOf(acts: (scene: Scene) => void, caller = 'main') {
  const log = openMemoryLog({ projections: [...contextProjections, agentProjection] })
  let time = 1_700_000_000_000
  const alarm = new Alarm()
  const onlooker = new Onlooker(log)
  const trace: string[] = []
  let scene: Scene | undefined
  const play = async (more: (on: Scene) => void): Promise<Scene> => {
    const played = await log.write((writing) => {
      scene ??= new Scene(writing)
      scene.writing = writing
      more(scene)
      return scene
    })
    onlooker.changed()
    return played
  }
  const begun = await play((on) => {
    on.root('main')
    acts(on)
  })
  const tool = waitTool({
    log,
    now: () => time,
    sleep: alarm.sleep,
    until: async (holds, signal) => {
      trace.push('waits')
      const held = await onlooker.until(holds, signal)
      trace.push('waited')
      return held
    },
    whileWaiting: (branch, work) => {
      trace.push(`lends ${handleOf(branch)}`)
      return work().finally(() => trace.push('has it back'))
    },
  })
  const stop = new AbortController()
  const call = { branch: begun.id(caller), turn: 'tn_0n5f8k2q1k3f9ab' as TurnId, signal: stop.signal }
  return {
    alarm,
    play,
    stop,
    tool,
    trace,
    name: (branch: string) => handleOf(begun.id(branch)),
    pass: (ms: number) => void (time += ms),
    wait: (args: JsonObject = {}) => tool.run(args, call),
    /** As `main: idle, f: working`, with the names of the scene. */
    words: async (result: ReturnType<typeof tool.run>): Promise<string> => {
      const { text, isError } = await result
      expect({ text, isError }).toMatchObject({ isError: false })
      const { ended, branches } = JSON.parse(text) as Waited
      const names = new Map([...begun.ids].map(([name, id]) => [handleOf(id), name]))
      return [ended, ...branches.map(({ id, status }) => `${names.get(id) ?? id} ${status}`)].join(', ')
    },
    error: async (result: ReturnType<typeof tool.run>): Promise<string> => {
      const { text, isError } = await result
      expect({ text, isError }).toMatchObject({ isError: true })
      return (JSON.parse(text) as { error: string }).error
    },
  }
}

const person = { from: 'person', channel: 'terminal', conversation: 'c', person: 'p', key: null } as const
const host = { from: 'host', tag: 'fork-started' } as const

const admit = (
  on: Scene,
  branch: string,
  {
    form = 'message',
    source = person,
  }: { form?: 'message' | 'note' | 'command' | 'step-command'; source?: typeof person | typeof host } = {},
): void => {
  const { at } = on
  on.writing.append({ kind: 'inbound-admitted', branch: on.id(branch), at, v: 1, source, form, text: 'go' })
}

const mail = (on: Scene, from: string, to: string): void =>
  void on.writing.append({
    kind: 'mail-sent',
    branch: on.id(to),
    at: on.at,
    v: 1,
    from: on.id(from),
    text: 'hi',
  })

const readMail = (on: Scene, branch: string): void => {
  const upTo = on.writing.end as Position
  on.writing.append({ kind: 'mail-read', branch: on.id(branch), at: on.at, v: 1, upTo })
}

const child = (on: Scene, name: string, parent = 'main'): void =>
  void on.fork(parent, name, { mode: 'child' })

/** Two children of main, both in a turn. */
const twoAtWork = (on: Scene): void => {
  for (const name of ['a', 'b']) {
    child(on, name)
    on.start(name, 'task')
  }
}

/** Resolves after everything that is ready to run has run. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

const isPending = async (promise: Promise<unknown>): Promise<boolean> => {
  const open = Symbol('open')
  await settle()
  return (await Promise.race([promise, Promise.resolve(open)])) === open
}

describe('when a wait is over', () => {
  test('all: not before each branch has written, gone idle or ended', async () => {
    const { wait, words, play } = await worldOf((on) => {
      twoAtWork(on)
      child(on, 'c')
      on.start('c', 'task')
    })
    const waited = wait()
    expect(await isPending(waited)).toBe(true)
    await play((on) => mail(on, 'a', 'main'))
    await play((on) => on.finish('b'))
    expect(await isPending(waited)).toBe(true)
    await play((on) => on.end('c'))
    expect(await words(waited)).toBe('all, a wrote, b idle, c ended: killed')
  })

  test('first: as soon as one of them has', async () => {
    const { wait, words, play } = await worldOf(twoAtWork)
    const waited = wait({ until: 'first' })
    expect(await isPending(waited)).toBe(true)
    await play((on) => on.finish('b'))
    expect(await words(waited)).toBe('first, a working, b idle')
  })

  test('only the branches that are named are waited for, each once', async () => {
    const { wait, words, name } = await worldOf((on) => {
      twoAtWork(on)
      on.finish('a')
    })
    expect(await words(wait({ ids: [name('a'), name('a').slice(0, 3)] }))).toBe('all, a idle')
  })

  test('without ids, living children are waited for, and neither ended ones nor interactive forks', async () => {
    const { wait, words } = await worldOf((on) => {
      twoAtWork(on)
      on.fork('main', 'f')
      on.start('f', 'talk')
      on.end('a')
      on.finish('b')
    })
    expect(await words(wait({ ids: [] }))).toBe('all, b idle')
  })

  test('mail that the caller has read does not count, nor mail to another', async () => {
    const { wait, play, words } = await worldOf((on) => {
      twoAtWork(on)
      mail(on, 'a', 'main')
      readMail(on, 'main')
      mail(on, 'a', 'b')
    })
    const waited = wait({ until: 'first' })
    expect(await isPending(waited)).toBe(true)
    await play((on) => mail(on, 'a', 'main'))
    expect(await words(waited)).toBe('first, a wrote, b working')
  })

  test('a child may wait for its parent', async () => {
    const { wait, words } = await worldOf((on) => {
      child(on, 'a')
      mail(on, 'main', 'a')
    }, 'a')
    expect(await words(wait({ ids: ['main'] }))).toBe('all, main wrote')
  })
})

describe('a branch without a running turn', () => {
  test('works as long as its inbox has something to do', async () => {
    const { wait, words, play } = await worldOf((on) => {
      child(on, 'a')
      admit(on, 'a', { source: host })
    })
    const waited = wait()
    expect(await isPending(waited)).toBe(true)
    await play((on) => {
      on.start('a', 'task')
      takeInbox(on.writing, { branch: on.id('a'), at: on.at, zone: 'UTC', from: 'anybody' })
    })
    expect(await isPending(waited)).toBe(true)
    await play((on) => on.finish('a'))
    expect(await words(waited)).toBe('all, a idle')
  })

  test('works when new mail is about to wake it', async () => {
    const { wait } = await worldOf((on) => {
      child(on, 'a')
      on.turn('a', 'task')
      mail(on, 'main', 'a')
    })
    expect(await isPending(wait())).toBe(true)
  })

  test.each(['deferred', 'interrupted'] as const)('works on when its turn was %s', async (outcome) => {
    const { wait } = await worldOf((on) => {
      child(on, 'a')
      on.start('a', 'task')
      const event = on.writing.event((on.writing.end - 1) as Position)
      if (event.kind !== 'turn-started') throw new TypeError('no turn')
      const ended = {
        kind: 'turn-ended',
        branch: event.branch,
        at: on.at,
        v: 1,
        turn: event.turn,
        outcome,
      } as const
      on.writing.append(outcome === 'deferred' ? { ...ended, retryAt: on.at + DAY_MS } : ended)
    })
    expect(await isPending(wait())).toBe(true)
  })

  test('is idle when it was never given anything, and a day after its last turn too', async () => {
    const { wait, words, pass } = await worldOf((on) => {
      child(on, 'a')
      on.turn('a', 'task')
      child(on, 'b')
    })
    expect(await words(wait())).toBe('all, a idle, b idle')
    pass(2 * DAY_MS)
    expect(await words(wait())).toBe('all, a idle, b idle')
  })
})

describe('what ends a wait from outside', () => {
  test.each(['message', 'note', 'step-command'] as const)(
    'a %s of the person interrupts it',
    async (form) => {
      const { wait, words, play, alarm } = await worldOf(twoAtWork)
      const waited = wait()
      expect(await isPending(waited)).toBe(true)
      await play((on) => admit(on, 'main', { form }))
      expect(await words(waited)).toBe('interrupted, a working, b working')
      expect(alarm.sleeping).toBe(0)
    },
  )

  test('a message that lay there before interrupts it at once, unless there is nothing left to wait for', async () => {
    const { wait, words, play } = await worldOf((on) => {
      twoAtWork(on)
      admit(on, 'main')
    })
    expect(await words(wait())).toBe('interrupted, a working, b working')
    await play((on) => on.finish('a'))
    expect(await words(wait({ until: 'first' }))).toBe('first, a idle, b working')
  })

  test('a message to another branch, one of the host, or a command for the end of the turn does not', async () => {
    const { wait } = await worldOf((on) => {
      twoAtWork(on)
      admit(on, 'a')
      admit(on, 'main', { source: host })
      admit(on, 'main', { form: 'command' })
    })
    expect(await isPending(wait())).toBe(true)
  })

  test('the time is up after what was asked for, 300 s if nothing was', async () => {
    const { wait, words, alarm } = await worldOf(twoAtWork)
    const [first, second, third] = [wait(), wait({ timeout: 2.5 }), wait({ timeout_seconds: 4 })]
    expect(await isPending(Promise.race([first, second, third]))).toBe(true)
    expect(alarm.asked).toEqual([300_000, 2_500, 4_000])
    alarm.ring()
    expect(await words(first)).toBe('timeout, a working, b working')
    expect(await words(second)).toBe('timeout, a working, b working')
  })

  test('stopping the turn ends it at once and leaves no alarm', async () => {
    const { wait, error, stop, alarm } = await worldOf(twoAtWork)
    const waited = wait()
    expect(await isPending(waited)).toBe(true)
    expect(alarm.sleeping).toBe(1)
    stop.abort('stop')
    expect(await error(waited)).toBe('Stopped while it waited.')
    expect(alarm.sleeping).toBe(0)
  })

  test('while it waits, and no longer, its place among those that run is lent', async () => {
    const { wait, play, trace, name } = await worldOf(twoAtWork)
    const waited = wait({ until: 'first' })
    await settle()
    expect(trace).toEqual([`lends ${name('main')}`, 'waits'])
    await play((on) => on.finish('a'))
    await waited
    expect(trace.slice(2)).toEqual(['waited', 'has it back'])
  })
})

describe('refusals', () => {
  test('without living children there is nothing to wait for', async () => {
    const { wait, error } = await worldOf((on) => {
      child(on, 'a')
      on.end('a')
      on.fork('main', 'f')
    })
    expect(await error(wait())).toMatch(/^You have no children at work, so there is nothing to wait for\./)
  })

  test('nobody waits for themselves', async () => {
    const { wait, error, name } = await worldOf(twoAtWork)
    expect(await error(wait({ ids: [name('a'), 'main'] }))).toContain('you cannot wait for yourself')
  })

  test('an unknown branch is answered with those there are', async () => {
    const { wait, error, name } = await worldOf((on) => {
      twoAtWork(on)
      child(on, 'c', 'a')
    }, 'a')
    expect(await error(wait({ ids: ['zzzz'] }))).toBe(
      `There is no branch 'zzzz'. There are: ${name('a')} (you), main (above you), ${name('c')} (child).`,
    )
  })

  test.each([
    [{ ids: 'abc' }, 'ids'],
    [{ ids: [3] }, 'ids.0'],
    [{ until: 'any' }, 'until'],
    [{ timeout_seconds: 0 }, 'timeout_seconds'],
    [{ timeout_seconds: 3601 }, 'timeout_seconds'],
    [{ timeout: 0 }, 'timeout'],
    [{ timeout: '5' }, 'timeout'],
    [{ seconds: 5 }, 'seconds'],
  ])('%j is refused with the usage', async (args, problem) => {
    const { wait, error } = await worldOf(twoAtWork)
    const text = await error(wait(args))
    expect(text).toContain(problem)
    expect(text).toContain('Usage: wait {')
  })

  test('no arguments make it throw, and what it says is JSON', async () => {
    const { wait } = await worldOf((on) => {
      child(on, 'a')
      on.turn('a', 'task')
    })
    const known = fc.record(
      {
        ids: fc.oneof(fc.jsonValue(), fc.array(fc.string())),
        until: fc.jsonValue(),
        timeout: fc.double(),
        timeout_seconds: fc.double(),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(fc.oneof(known, fc.dictionary(fc.string(), fc.jsonValue())), async (args) => {
        const { text, isError } = await wait(args as JsonObject)
        expect(Object.keys(JSON.parse(text) as object)).toEqual(isError ? ['error'] : ['ended', 'branches'])
      }),
    )
  })
})
