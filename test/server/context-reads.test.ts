import { createHash } from 'node:crypto'
import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Recorded } from '../../src/agent/turn/call-prompt.ts'
import { isOwners } from '../../src/agent/state/person.ts'
import type { Prompt, PromptMessage } from '../../src/event/prompt.ts'
import { openForWriting } from '../../src/runtime/home/open-log.ts'
import {
  turnContextView,
  type promptTextView,
  type TurnContextView,
  type TurnsView,
} from '../../src/view/prompt/turn-context.ts'
import { FIXTURES, run, tempFolder } from '../cli/run.ts'
import { serving } from './stage.ts'

type Texts = ReturnType<typeof promptTextView>

async function looking() {
  const stage = await serving({
    settings: { HISTORY_WINDOW: '4', COMPACTION_SHARE: '0' },
  })
  const get = <T>(path: string) => stage.client.call<T>('GET', `/api/context/${path}`)
  const raw = async (turn: string): Promise<string> => {
    const { text } = await stage.ask(`/api/context/raw?turn=${turn}&branch=main`, { headers: stage.bearer })
    return text
  }
  return { ...stage, get, raw }
}

const FACT = 'The ferry to Palermo leaves Genoa at 22:30 on Saturdays.'

/** A home that was told a fact, has summed it up, learned a line, and was asked for the fact. */
async function forgetful() {
  const stage = await looking()
  await stage.say(FACT)
  for (let day = 0; day < 8; day++) await stage.say(`The weather of day ${day} was dull.`)
  await stage.say('/compact')
  writeFileSync(join(stage.home, 'workspace', 'memory.md'), '# Memory\n\n- Seasick on small boats\n')
  await stage.say('/reload')
  await stage.say('Does the Palermo ferry leave Genoa late?')
  return stage
}

function callsIn(message: PromptMessage): string[] {
  if (message.role !== 'assistant') return []
  return message.calls.map(({ tool, args }) => `→ ${tool} ${JSON.stringify(args)}`)
}

const sha = (text: string): string => createHash('sha256').update(text).digest('hex')

test('[PAGE1] what is shown of any turn hashes to what the model got, and every piece of it is in there', async () => {
  const { get, raw } = await forgetful()
  const { turns, last } = await get<TurnsView>('turns?branch=main')
  expect(turns.map(({ number }) => number)).toEqual(Array.from({ length: last }, (_, at) => at + 1))
  for (const { number, used } of turns) {
    const view = await get<TurnContextView>(`turn?turn=${number}&branch=main`)
    const text = await raw(String(number))
    expect(view.turn).toMatchObject({ number, isSame: true, hash: sha(text) })
    expect(view.turn?.used?.tokensIn).toBe(used?.tokensIn)
    const { pieces } = await get<Texts>(`text?turn=${number}&branch=main`)
    const prompt = JSON.parse(text) as Prompt
    const said = [
      prompt.system,
      ...prompt.messages.flatMap((message) => [message.text, ...callsIn(message)]),
    ].join('\n')
    for (const piece of pieces.filter(({ kind }) => kind !== 'tools')) expect(said).toContain(piece.text)
    expect(new Set(pieces.map(({ part }) => part))).toEqual(
      new Set(view.parts.filter(({ count }) => count > 0).map(({ id }) => id)),
    )
  }
})

test('[PAGE1] the parts of a prompt, what is new in each, and why recall brought a piece by itself', async () => {
  const { get, home } = await forgetful()
  const view = await get<TurnContextView>('turn?turn=last&branch=main')
  const states = view.parts.map(({ kind, difference }) => `${kind} ${difference?.state}`)
  expect(states).toEqual([
    'system same',
    'memory new',
    'tools same',
    'summary new',
    'messages changed',
    'recall new',
  ])
  expect(view.change).toBe('compacted')
  const summary = view.parts.find(({ kind }) => kind === 'summary')
  expect(summary?.covers?.messages).toBeGreaterThan(10)
  const [piece] = view.recall
  expect(piece).toMatchObject({ who: 'the person', branch: 'main', covered: summary?.covers })
  expect(piece?.why?.matched).toEqual(expect.arrayContaining(['Palermo', 'ferry', 'Genoa']))
  expect(piece?.why?.words).toBeGreaterThan(0)
  expect((await run(['context', '--turn', 'last', '--branch', 'main'], { home })).out).toMatch(
    / {6}why: score \d\.\d\d = .*; it has .*Palermo/,
  )
  const now = await get<TurnContextView>('turn?turn=now&branch=main')
  expect(now).toMatchObject({ turn: null, before: { number: view.turn?.number } })
  // Nobody knows yet what the next message brings back: nothing of it is gone.
  expect(now.parts.filter(({ kind }) => kind === 'recall')).toEqual([])
})

test('more turns than asked for are thinned out evenly, with both ends', async () => {
  const { get } = await forgetful()
  const { turns, last } = await get<TurnsView>('turns?branch=main&limit=3')
  expect(turns.map(({ number }) => number)).toEqual([1, Math.round((last + 1) / 2), last])
  expect(turns.at(-1)?.change).toBe('compacted')
})

test('[LOG5] every turn of the owner in every released log can be looked at, with reasons only where they were recorded', async () => {
  let looked = 0
  for (const name of readdirSync(FIXTURES)) {
    const home = tempFolder()
    cpSync(join(FIXTURES, name, 'log.db'), join(home, 'log.db'))
    const log = openForWriting({ home, command: 'test' })
    const all = (await Array.fromAsync(log.events({ kind: 'model-called' }))) as Recorded[]
    const called = await log.read((reader) => all.filter(({ branch }) => isOwners(reader, branch)))
    for (const { turn, call, branch, tail } of called) {
      const look = {
        turn,
        call: String(call),
        branch: () => branch,
        modelOf: () => 'offline',
        tokensMaxOf: () => 1,
      }
      const { recall, ...view } = await log.read((reader) => turnContextView(reader, look))
      expect(view.turn?.isSame).toBe(true)
      expect(recall.every(({ why }) => (why === null) === (tail?.why === undefined))).toBe(true)
      looked++
    }
    await log.close()
  }
  expect(looked).toBeGreaterThan(5)
})
