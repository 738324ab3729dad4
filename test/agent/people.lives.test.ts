import { expect, test } from 'vitest'
import { personIn } from '../../src/agent/state/person.ts'
import { seededRandom, type Random } from '../../src/base/random.ts'
import type { Arrival } from '../../src/channel/channel.ts'
import { Gate } from '../../src/command/door/gate.ts'
import { receive } from '../../src/command/door/reception.ts'
import type { Prompt } from '../../src/event/prompt.ts'
import { MemoryDisk } from '../../src/log/memory.ts'
import type { Model } from '../../src/model/contract/model.ts'
import { Doors } from '../../src/runtime/life/door.ts'
import { seeds } from '../rounds.ts'
import { Killed } from '../simulation/mortal-store.ts'
import { ChatApp, type Fate } from '../stand-ins/chat-app.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { mortalLog, Platform, unlessDead, unlessKilled, type Death } from './mortal.ts'
import { FakeClock, stage, START, type Stage } from './stage.ts'

/** Where people talk; each of their words tells where it was said. `user`: null at the terminal. */
const PLACES = {
  desk: { person: 'owner', users: [null] },
  ana: { person: 'ana', users: ['1'] },
  ben: { person: 'ben', users: ['2'] },
  club: { person: 'club', users: ['1', '2'] },
  stranger: { person: 'nobody', users: ['9'] },
} as const
type Place = keyof typeof PLACES
const NAMES = { '1': 'Ana', '2': 'Ben', '9': 'Sid' }
const WORD = /(desk|ana|ben|club|stranger)-\d+e?/g

/** Somebody writes, once or again, or changes what they wrote. */
interface Act {
  readonly place: Place
  readonly user: string | null
  readonly word: string
  readonly isEdit: boolean
}

interface Story {
  readonly acts: readonly Act[]
  readonly app: ChatApp
  readonly terminal: Platform
  readonly disk: MemoryDisk
  readonly prompts: Prompt[]
  readonly random: Random
  /** How many acts their platforms know to be taken. */
  taken: number
  clock: FakeClock
}

function pick<T>(random: Random, all: readonly T[]): T {
  return all[random() % all.length] as T
}

function actsOf(random: Random): Act[] {
  const acts: Act[] = []
  for (let number = 1; number <= 12; number++) {
    const place = pick(random, Object.keys(PLACES) as Place[])
    const before = acts.at(-1 - (random() % 4))
    const chance = random() % 6
    if (before !== undefined && chance === 0) acts.push(before)
    else if (before !== undefined && chance === 1 && before.user !== null)
      acts.push({ ...before, isEdit: true })
    else
      acts.push({ place, user: pick(random, PLACES[place].users), word: `${place}-${number}`, isEdit: false })
  }
  return acts
}

/** Answers with the words that it was not asked before, after a moment. */
function echo(story: Story): Model {
  return {
    name: 'echo',
    contextTokens: 100_000,
    call: async (prompt, { signal }) => {
      story.prompts.push(prompt)
      const last = prompt.messages.findLastIndex(({ role }) => role === 'assistant')
      const words = prompt.messages.slice(last + 1).flatMap(({ text }) => text.match(/say \S+/g) ?? [])
      await story.clock.sleep(story.random() % 900, signal)
      const text = `<${words.map((word) => word.slice(4)).join(' ')}>`
      const usage = { tokensIn: 1, tokensOut: 1, tokensCached: 0, tokensCacheWritten: 0 }
      return { text, calls: [], reasoning: [], finish: 'stop', usage }
    },
  }
}

function arrivalOf({ place, user, word, isEdit }: Act): Arrival & { readonly messageId: string } {
  const isGroup = place === 'club'
  return {
    channel: 'app',
    conversation: place,
    user: user ?? '',
    userName: NAMES[user as keyof typeof NAMES],
    messageId: word,
    text: `say ${word}${isEdit ? 'e' : ''}`,
    ...(isGroup && { group: { title: 'Club', isForUs: true } }),
  }
}

/** One process, until it dies or everything is done. Platforms deliver again what was not taken. */
async function live(story: Story, act: (at: Stage) => Promise<void>, death?: Death): Promise<void> {
  const { app, terminal, disk } = story
  story.clock = new FakeClock(story.clock.now())
  disk.holder = null
  const mortal = death && mortalLog(disk, death)
  const hasDied = (): boolean => mortal?.hasDied() === true
  const channel = app.channel(() => {
    if (hasDied()) throw new Killed('this process is dead')
  })
  try {
    const at = await stage({
      disk,
      clock: story.clock,
      apps: [channel],
      models: { echo: echo(story) },
      settings: { model: 'echo' },
      send: unlessDead(hasDied, terminal.send),
      ...(mortal && { log: mortal.log }),
    })
    const { desk, clock, failures } = at
    const fail = (error: unknown): void => void failures.push(error)
    const gate = new Gate({ desk, sleep: clock.sleep, fail })
    const parts = { channels: [channel], gate, files: desk.files, now: desk.now, warn: fail, fail }
    const doors = new Doors({
      ...parts,
      receive: (inbound) => receive(desk, inbound),
      onState: () => undefined,
    })
    doors.open()
    await act(at)
    failures.forEach(unlessKilled)
    if (hasDied()) return
    await doors.close()
    if (death === undefined) await at.settle()
    await at.close()
    if (death === undefined) await expectEmpty(at.log)
    await expectLawful(at)
    await at.log.close()
  } catch (error) {
    unlessKilled(error)
  }
}

async function pair(story: Story): Promise<void> {
  await live(story, async (at) => {
    for (const [place, user] of [
      ['ana', '1'],
      ['ben', '2'],
    ] as const) {
      await story.app.door?.arrive({ ...arrivalOf({ place, user, word: `hello-${user}`, isEdit: false }) })
      await at.settle()
      const [, code = ''] = /code: (\S+)/.exec(story.app.texts(place).join()) ?? []
      await at.say(`/pair approve ${code} ${NAMES[user]}`)
    }
  })
}

async function talk(story: Story, at: Stage): Promise<void> {
  const { clock, random } = story
  while (story.taken < story.acts.length) {
    const act = story.acts[story.taken] as Act
    await give(story, at, act)
    story.taken++
    await clock.pass(random() % 1_500)
  }
  // What failed is tried again for some time.
  await clock.pass(200_000)
}

async function give({ app }: Story, { desk, failures }: Stage, act: Act): Promise<void> {
  const { word: messageId, user } = act
  const arrival = arrivalOf(act)
  const there = {
    channel: 'terminal',
    conversation: 'local',
    origin: 'terminal' as const,
    person: 'owner',
    messageId,
    text: arrival.text,
  }
  if (user === null) await receive(desk, there)
  else if (act.isEdit) await app.door?.edited(arrival)
  else await app.door?.arrive(arrival)
  // Whoever died took nothing.
  for (const error of failures) throw error
}

function wordsIn(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.match(WORD) ?? [])
}

function expectAnswers({ acts, app, terminal }: Story): void {
  for (const place of ['desk', 'ana', 'ben', 'club'] as const) {
    const shown =
      place === 'desk'
        ? terminal.texts('answer')
        : app.messages
            .filter(({ conversation }) => conversation === place)
            // The line about a change elsewhere may be new when an answer is sent again.
            .map(({ text, isMarked }) => ({ text: text.replace(/\n\n\(AGENTS\.md [^)]*\)$/, ''), isMarked }))
            .filter(
              ({ text, isMarked }, index, all) =>
                !isMarked || all.findIndex((one) => one.text === text) === index,
            )
            .map(({ text }) => text)
    expect(
      wordsIn(shown).every((word) => word.startsWith(`${place}-`)),
      `only its own words in ${place}`,
    ).toBe(true)
    const said = wordsIn(shown.filter((text) => text.startsWith('<')))
    const asked = [...new Set(acts.filter((act) => act.place === place).map(({ word }) => word))]
    const first = said.filter((word) => !word.endsWith('e') || !said.includes(word.slice(0, -1)))
    expect([place, ...first.map((word) => word.replace(/e$/, ''))]).toEqual([place, ...asked])
    expect(said).toEqual([...new Set(said)])
  }
  expect(
    app.texts('stranger').every((text) => /^(?:\(again\) )?This assistant is private\./.test(text)),
  ).toBe(true)
}

async function expectKept({ acts, prompts }: Story, at: Stage): Promise<void> {
  for (const prompt of prompts) {
    const whose = new Set(wordsIn([JSON.stringify(prompt)]).map((word) => word.replace(/-.*/, '')))
    expect(whose.size, `[PEOPLE2] ${[...whose].join()} in one prompt`).toBeLessThanOrEqual(1)
    expect(whose.has('stranger')).toBe(false)
  }
  const keys: string[] = []
  for (const { source, branch } of await at.events('inbound-admitted')) {
    if (source.from !== 'person' || source.key === null || source.key.startsWith('edit ')) continue
    keys.push(source.key)
    const place = acts.find(({ word }) => word === source.key)?.place
    const whose = await at.read((reader) => personIn(reader, branch))
    if (place !== undefined) expect(whose, `[PEOPLE1] ${source.key}`).toBe(PLACES[place].person)
  }
  expect(new Set(keys).size, '[RECV1]').toBe(keys.length)
  expect(keys.some((key) => key.startsWith('stranger'))).toBe(false)
}

test('[PEOPLE1] [PEOPLE2] [RECV1] [SEND1] several people on two channels are answered once, in order and apart, whatever comes twice, changes, fails or dies', async () => {
  for (const seed of seeds(300)) {
    const random = seededRandom(seed)
    const begun = { app: new ChatApp(), terminal: new Platform(), disk: new MemoryDisk() }
    const more = { prompts: [], random, taken: 0, clock: new FakeClock(START) }
    const story: Story = { acts: actsOf(random), ...begun, ...more }
    await pair(story)
    story.app.fate = (request): Fate =>
      (['down', 2_000, 'lost', request === 'send' ? 'hidden' : 'down'] as const)[random() % 15] ?? 'taken'
    for (let kills = random() % 5; kills > 0; kills--) {
      const fate = random() % 2 === 0 ? 'dies-before' : 'dies-after'
      await live(story, (at) => talk(story, at), { commit: 1 + (random() % 40), fate })
    }
    story.app.fate = () => 'taken'
    try {
      await live(story, async (at) => {
        await talk(story, at)
        await at.settle()
        await expectKept(story, at)
      })
      expectAnswers(story)
    } catch (error) {
      const shown = story.app.messages.map(({ conversation, text, isMarked }) => [
        conversation,
        text,
        isMarked,
      ])
      const what = JSON.stringify({ acts: story.acts, shown, desk: story.terminal.texts('answer') }, null, 1)
      throw new Error(`seed ${seed}: ${String(error)}\n${what}`, { cause: error })
    }
  }
})
