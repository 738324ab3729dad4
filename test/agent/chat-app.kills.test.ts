import { expect, test } from 'vitest'
import { seededRandom } from '../../src/base/random.ts'
import type { Log } from '../../src/log/log.ts'
import { MemoryDisk, openMemoryLog } from '../../src/log/memory.ts'
import type { Model } from '../../src/model/contract/model.ts'
import { receive } from '../../src/command/door/reception.ts'
import { Killed } from '../simulation/mortal-store.ts'
import { seeds } from '../rounds.ts'
import { ChatApp, type Fate } from '../stand-ins/chat-app.ts'
import { unanswered } from './doubles.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { mortalLog, unlessKilled, type Death } from './mortal.ts'
import { FakeClock, projections, stage, START, type Stage } from './stage.ts'

const WORDS = ['one', 'two']
const IS_ANSWER = /^(?:one|two)\d/
/** The answer to a command that somebody types while an answer grows. */
const BETWEEN = 'There is no message #7: none came yet. Only pings and notices have numbers.'

/** Long enough for three parts, slow enough for some edits. */
const answerTo = (word: string): string => Array.from({ length: 12 }, (_, n) => `${word}${n}`).join(' ')

/** Writes its answer in pieces; after a kill it writes the same again. */
function slowModel(clock: () => FakeClock): Model {
  return {
    name: 'slow',
    contextTokens: 100_000,
    call: async (prompt, { signal, onText }) => {
      const text = unanswered(prompt).map(answerTo).join('\n')
      for (let from = 0; from < text.length; from += 25) {
        await clock().sleep(700, signal)
        onText?.(text.slice(from, from + 25))
      }
      const usage = { tokensIn: 1, tokensOut: 1, tokensCached: 0, tokensCacheWritten: 0 }
      return { text, calls: [], reasoning: [], finish: 'stop', usage }
    },
  }
}

interface Lives {
  readonly app: ChatApp
  readonly disk: MemoryDisk
  /** What was on its way to the app when the last process died. */
  onItsWay: ReadonlySet<number>
  clock: FakeClock
}

function begin(): Lives {
  const app = new ChatApp()
  app.charsMax = 40
  return { app, disk: new MemoryDisk(), onItsWay: new Set(), clock: new FakeClock(START) }
}

/** One process. The platform delivers what was not admitted again. Resolves with whether it lived to the end. */
async function live(on: Lives, death?: Death): Promise<boolean> {
  on.clock = new FakeClock(on.clock.now())
  on.disk.holder = null
  const mortal = death && mortalLog(on.disk, death)
  const hasDied = (): boolean => mortal?.hasDied() === true
  const beforeRequest = (): void => {
    if (hasDied()) throw new Killed('this process is dead')
  }
  const log: { log?: Log } = mortal === undefined ? {} : { log: mortal.log }
  try {
    const at = await stage({
      disk: on.disk,
      clock: on.clock,
      apps: [on.app.channel(beforeRequest)],
      models: { slow: slowModel(() => on.clock) },
      settings: { model: 'slow' },
      onItsWay: {
        last: () => on.onItsWay,
        note: (positions) => void (hasDied() || (on.onItsWay = new Set(positions))),
      },
      ...log,
    })
    await talk(on, at, hasDied)
    at.failures.forEach(unlessKilled)
    if (hasDied()) return false
    if (death === undefined) await at.settle()
    await at.close()
    if (death === undefined) await expectEmpty(at.log)
    await expectLawful(at)
    return true
  } catch (error) {
    unlessKilled(error)
    return false
  }
}

async function talk(on: Lives, at: Stage, hasDied: () => boolean): Promise<void> {
  for (const word of WORDS) {
    const message = { origin: 'phone', channel: 'app', conversation: 'c1', person: 'owner' } as const
    await receive(at.desk, { ...message, messageId: word, text: word })
    for (let second = 0; second < 8 && !hasDied(); second++) {
      // Its answer stands between what is there of the other one and the rest.
      if (second === 2) await receive(at.desk, { ...message, messageId: `/${word}`, text: '/done 7' })
      await on.clock.pass(1_000)
    }
  }
  // What failed is tried again for some time.
  if (!hasDied()) await on.clock.pass(200_000)
}

/**
 * Everything is there in order and once, apart from what is marked; and nothing partial is left. A mark is there for each
 * message whose outcome nobody noted, and for no other.
 */
async function expectShown({ app, disk }: Lives): Promise<void> {
  disk.holder = null
  const events = await Array.fromAsync(openMemoryLog({ disk, projections }).events())
  const known = new Set(events.map((event) => ('platformId' in event ? event.platformId : null)))
  const hidden = app.messages.filter(({ id }) => !known.has(id))
  expect(app.messages.filter(({ isMarked }) => isMarked)).toHaveLength(hidden.length)
  // A part that was sent and hidden stands there again, with its mark.
  const once = app.messages.filter(
    ({ text, isMarked }, index) =>
      !isMarked || app.messages.slice(0, index).every((one) => one.text !== text),
  )
  const answers = once.filter(({ text }) => IS_ANSWER.test(text))
  const others = once.filter(({ text }) => !IS_ANSWER.test(text))
  expect(answers.map(({ text }) => text).join('')).toBe(WORDS.map(answerTo).join(''))
  expect(others.map(({ text }) => text).join('')).toBe(BETWEEN.repeat(WORDS.length))
}

test('[SEND1] a kill at any commit leaves every answer once and in order, or marked', async () => {
  const whole = begin()
  await live(whole)
  await expectShown(whole)
  for (let commit = 1; ; commit++) {
    let hasDied = false
    for (const fate of ['dies-before', 'dies-after'] as const) {
      const on = begin()
      if (await live(on, { commit, fate })) continue
      hasDied = true
      await live(on)
      try {
        await expectShown(on)
      } catch (error) {
        throw new Error(`${fate} ${commit}: ${JSON.stringify(on.app.texts('c1'), null, 1)}`, { cause: error })
      }
    }
    if (hasDied) continue
    expect(commit).toBeGreaterThan(15)
    break
  }
})

test('[SEND1] any sequence of failures, waits and kills does so too', async () => {
  for (const seed of seeds(300)) {
    const random = seededRandom(seed)
    const on = begin()
    on.app.paceMs = random() % 2 === 0 ? 0 : 3_000
    on.app.fate = (request): Fate => {
      const fates: Fate[] = ['down', 2_000, 30_000, request === 'send' ? 'hidden' : 'down']
      return fates[random() % 12] ?? 'taken'
    }
    const kills = random() % 4
    for (let kill = 0; kill < kills; kill++)
      await live(on, { commit: 1 + (random() % 60), fate: random() % 2 === 0 ? 'dies-before' : 'dies-after' })
    on.app.fate = () => 'taken'
    await live(on)
    try {
      await expectShown(on)
    } catch (error) {
      throw new Error(`seed ${seed}: ${JSON.stringify(on.app.texts('c1'), null, 1)}`, { cause: error })
    }
  }
})
