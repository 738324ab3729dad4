import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { contextProjections } from '../../context/fold.ts'
import { makeTurnId, type Position, type TurnId } from '../../event/id.ts'
import type { Settings, ToolSpec } from '../../event/prompt.ts'
import type { Reader } from '../../event/table.ts'
import type { Log } from '../../log/log.ts'
import { openMemoryLog } from '../../log/memory.ts'
import { openSqliteStore } from '../../log/sqlite.ts'
import { StoreLog } from '../../log/store-log.ts'
import { Scene } from '../../../test/model/scene.ts'
import { callsOf, promptText, rebuildPrompt, recordCall, type NewCall, type Recorded } from './call-prompt.ts'
import { agentProjection } from '../state/fold.ts'
import { changeSetup, hashOf } from '../state/setup.ts'

const projections = [...contextProjections, agentProjection]
const settings: Settings = {
  model: 'test/one',
  tokensMax: 1_000,
  temperature: 0.7,
  thinking: 'adaptive',
  toolChoice: 'auto',
}
const tools: ToolSpec[] = [
  { name: 'slash', description: 'Runs a command.', parameters: { type: 'object', properties: {} } },
]

async function inLog(acts: (on: Scene) => void, log: Log = openMemoryLog({ projections })): Promise<void> {
  await log.write((writing) => {
    const on = new Scene(writing)
    on.root('main')
    acts(on)
  })
  await log.close()
}

function setUp(on: Scene, system = 'You are.'): void {
  changeSetup(on.writing, { system, tools }, on.act('main'))
}

/** Writes a call and keeps the prompt that the model got. */
function call(on: Scene, more: Partial<NewCall> = {}): { text: string; recorded: Recorded } {
  const turn = makeTurnId(on.at, on.random)
  const act = {
    branch: on.id('main'),
    turn,
    call: 1,
    at: on.at,
    day: '2026-03-01',
    settings,
    tail: null,
    ...more,
  }
  const text = promptText(recordCall(on.writing, act))
  return { text, recorded: lastEvent(on.writing) as Recorded }
}

function lastEvent(reader: Reader) {
  return reader.event(reader.end as Position)
}

/** A conversation with every form of message. */
function converse(on: Scene): void {
  on.turn('main', 'a', 'b')
  on.mark('main', 'A')
  on.compact('main', 'Earlier.')
  on.say('main', {
    role: 'user',
    text: 'c',
    head: '[2026-03-01 Sun 09:30 Europe/Berlin]',
    before: ['Known.'],
  })
  const calls = [{ id: 'c1', tool: 'slash', args: { line: 'mark B', count: 1 } }]
  const reasoning = [{ text: 'Hm.', data: { signature: 's' } }]
  on.say('main', { role: 'assistant', text: 'x', calls, reasoning, model: 'test/one' })
  on.say('main', { role: 'tool', call: 'c1', tool: 'slash', text: 'done' })
  on.note('main', 'n')
}

test('[CTX8] a call is written with the hash of what the model was given, and with what that was made of', () =>
  inLog((on) => {
    setUp(on)
    on.start('main', 'a')
    const head = on.writing.end as Position
    const tail = { text: 'Remember.', after: head }
    const { text, recorded } = call(on, { tail })
    expect(recorded).toMatchObject({ kind: 'model-called', version: 1, head, prompt: hashOf(text) })
    expect(recorded.tail).toEqual({ text: hashOf('Remember.'), after: head })
    expect(JSON.parse(text)).toEqual({
      system: 'You are.',
      messages: [
        { role: 'user', text: 'a' },
        { role: 'user', text: 'Remember.' },
      ],
      tools,
      settings,
    })
  }))

test('[CTX8] the bytes of a prompt are the same in every release', () =>
  inLog((on) => {
    setUp(on)
    converse(on)
    const { text, recorded } = call(on, { tail: { text: 'Remember.', after: on.writing.end as Position } })
    expect(text).toBe(
      '{"messages":[' +
        '{"role":"user","text":"## Conversation History 🧠\\n\\nEarlier."},' +
        '{"role":"user","text":"b"},' +
        '{"calls":[],"reasoning":[],"role":"assistant","text":"b!"},' +
        '{"role":"user","text":"[2026-03-01 Sun 09:30 Europe/Berlin]\\n\\nKnown.\\n\\nc"},' +
        '{"calls":[{"args":{"count":1,"line":"mark B"},"id":"c1","tool":"slash"}],' +
        '"reasoning":[{"data":{"signature":"s"},"text":"Hm."}],"role":"assistant","text":"x"},' +
        '{"call":"c1","role":"tool","text":"done","tool":"slash"},' +
        '{"role":"user","text":"[note from the person]\\nn"},' +
        '{"role":"user","text":"Remember."}],' +
        '"settings":{"model":"test/one","temperature":0.7,"thinking":"adaptive","tokensMax":1000,"toolChoice":"auto"},' +
        '"system":"You are.",' +
        '"tools":[{"description":"Runs a command.","name":"slash","parameters":{"properties":{},"type":"object"}}]}',
    )
    expect(recorded.prompt).toBe('eefe988bf2612f89207e96805cb87edfaf51b7a05f26049342751103c34b172b')
  }))

test('[CTX8] a prompt is rebuilt byte for byte after everything that can change has changed', () =>
  inLog((on) => {
    setUp(on)
    converse(on)
    const { text, recorded } = call(on)
    const changes = [
      () => on.turn('main', 'd'),
      () => on.compact('main', 's'),
      () => on.expand('main'),
      () => on.undo('main'),
      () => on.rewind('main', 'A'),
      () => on.undo('main'),
      () => on.fork('main', 'f', { goal: 'g' }),
      () => on.save('f'),
      () => on.clear('main'),
      () => setUp(on, 'You were.'),
      () => void call(on, { settings: { ...settings, model: 'test/two' } }),
      () => on.end('main'),
    ]
    for (const change of changes) {
      change()
      expect(rebuildPrompt(on.writing, recorded)).toMatchObject({ text, isSame: true })
    }
    expect(promptText(rebuildPrompt(on.writing, recorded).prompt)).toBe(text)
  }))

test('[CTX8] a prompt is the same from the disk, also where texts have halves of surrogate pairs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mainstem-prompt-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const open = () => {
    const holder = { command: 'test', pid: process.pid, since: 0 }
    return new StoreLog(openSqliteStore({ file: join(folder, 'log.db'), projections, holder }), projections)
  }
  const made: string[] = []
  let turn: TurnId | undefined
  await inLog((on) => {
    setUp(on, 'You are 🧠 \uD83E.')
    turn = makeTurnId(on.at, on.random)
    for (const [index, half] of ['\uD83D', '\uDE00', '😀'].entries()) {
      on.say('main', { role: 'user', text: `a ${half}` })
      const tail = { text: `tail ${half}`, after: on.writing.end as Position }
      made.push(call(on, { turn, call: index + 1, tail }).text)
    }
  }, open())
  const log = open()
  const rebuilt = await log.read((reader) =>
    callsOf(reader, turn as TurnId).map((recorded) => rebuildPrompt(reader, recorded)),
  )
  await log.close()
  expect(rebuilt.map(({ text, isSame }) => ({ text, isSame }))).toEqual(
    made.map((text) => ({ text, isSame: true })),
  )
  expect(Buffer.from(made.join(''), 'utf8').toString('utf8')).toBe(made.join(''))
})

test('[CTX8] a prompt that is not what was sent is found out', () =>
  inLog((on) => {
    setUp(on)
    on.turn('main', 'a')
    const { recorded } = call(on)
    on.turn('main', 'b')
    const others: Partial<Recorded>[] = [
      { prompt: hashOf('another') },
      { head: on.writing.end as Position },
      { tail: { text: recorded.system, after: recorded.position } },
      { system: recorded.tools },
    ]
    for (const other of others)
      expect(rebuildPrompt(on.writing, { ...recorded, ...other }).isSame).toBe(false)
  }))

test('what is given to the model is what can be rebuilt, also where a text had to be mended to be kept', () =>
  inLog((on) => {
    setUp(on)
    on.start('main', 'a')
    const after = on.writing.end as Position
    const texts = ['\uD83D', '\uD83E'].map((half) => call(on, { tail: { text: half, after } }).text)
    expect(texts[0]).toContain('"\uFFFD"')
    expect(texts[1]).toBe(texts[0])
  }))

test('calls that share their parts keep them once', () =>
  inLog((on) => {
    setUp(on)
    on.start('main', 'a')
    call(on)
    const before = on.writing.end
    call(on)
    expect(on.writing.end).toBe(before + 1)
    call(on, { settings: { ...settings, toolChoice: 'none' } })
    expect(on.writing.end).toBe(before + 3)
  }))

test('the calls of a turn come in order, and none of another turn', () =>
  inLog((on) => {
    setUp(on)
    const turn = makeTurnId(on.at, on.random)
    for (let number = 1; number <= 11; number++) {
      call(on, { turn, call: number })
      call(on)
    }
    expect(callsOf(on.writing, turn).map(({ call: number }) => number)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    ])
    expect(callsOf(on.writing, makeTurnId(on.at, on.random))).toEqual([])
  }))

test('without a setup there is no call', () =>
  inLog((on) => {
    const { end } = on.writing
    expect(() => call(on)).toThrow('no setup was ever written')
    expect(on.writing.end).toBe(end)
  }))
