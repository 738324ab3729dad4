import fc from 'fast-check'
import { expect, test } from 'vitest'
import { promptText, rebuildPrompt, recordCall, type Recorded } from '../src/agent/turn/call-prompt.ts'
import { agentProjection } from '../src/agent/state/fold.ts'
import { changeSetup } from '../src/agent/state/setup.ts'
import { audit } from '../src/context/audit.ts'
import { getBranch } from '../src/context/branch.ts'
import { headOf } from '../src/context/message-index.ts'
import { contextProjections } from '../src/context/fold.ts'
import { listOf } from '../src/context/version.ts'
import { fromLine, toLine } from '../src/event/codec.ts'
import type { Message } from '../src/event/event.ts'
import type { Position, TurnId } from '../src/event/id.ts'
import type { Prompt, PromptMessage, Settings } from '../src/event/prompt.ts'
import type { Reader, Writing } from '../src/event/table.ts'
import type { Log } from '../src/log/log.ts'
import { MemoryDisk, openMemoryLog } from '../src/log/memory.ts'
import { Staged } from '../src/log/staged.ts'
import { bare } from './model/entry.ts'
import { operations, type Operation } from './model/operations.ts'
import { createRoot, perform } from './model/perform.ts'
import { Disagreement, identity, PERSON, Trial } from './model/trial.ts'
import { isWholeRun, rounds } from './rounds.ts'

const RUNS = rounds(150)
const MODELS = ['test/one', 'test/two'] as const
const PROJECTIONS = [audit, ...contextProjections, agentProjection]

/** What happens between two messages or operations: a call of a model, or a reload of what prompts begin with. */
type Happening =
  | { readonly do: 'nothing' }
  | { readonly do: 'call'; readonly any: number; readonly model: number; readonly tail: boolean }
  | { readonly do: 'reload'; readonly system: number; readonly tools: number }

const any = fc.constantFrom(0, 0, 0, -1, -1, 1, 2, 3)
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Happening>({ do: 'nothing' }) },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('call'),
      any,
      model: fc.constantFrom(0, 0, 0, 1),
      tail: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reload'), system: fc.nat(2), tools: fc.nat(2) }) },
)
const happenings = fc.array(happening, { minLength: 1, maxLength: 12 })

type Tail = { readonly text: string; readonly after: Position } | null

/** How often there was something to compare: a law that was never tried was not kept. */
const tried = { calls: 0, beginnings: 0, tailsKept: 0, tailsMoved: 0 }

class Life {
  readonly trial = new Trial()
  /** What was really said, by the name that the naive model has for it, and where. */
  readonly said = new Map<string, { readonly message: Message; readonly position: Position }>()
  readonly made: { readonly position: Position; readonly text: string }[] = []
  readonly tails = new Map<TurnId, Tail>()
  /** The last prompt between two changes of a context, with the tail of a turn and without any. */
  readonly before = new Map<string, Prompt>()
  readonly happenings: readonly Happening[]
  setup = 'system 0, tools 0'
  #happened = 0

  constructor(happenings: readonly Happening[]) {
    this.happenings = happenings
  }

  happenNext(writing: Writing): void {
    this.happen(writing, this.happenings[this.#happened++ % this.happenings.length] ?? { do: 'nothing' })
  }

  happen(writing: Writing, what: Happening): void {
    if (what.do === 'nothing') return
    if (what.do === 'reload') return this.reload(writing, what.system, what.tools)
    const number = this.trial.any(what.any)
    const { id, state, version } = getBranch(writing, this.trial.id(number))
    const turn = state.kind === 'running' ? state.turn : this.trial.turnId()
    const tail = this.tailOf(turn, what.tail ? headOf(writing, id) : null)
    const model = MODELS[what.model] ?? MODELS[0]
    const call = this.made.length + 1
    const prompt = recordCall(writing, {
      branch: id,
      turn,
      call,
      at: this.trial.now,
      day: '2026-03-01',
      settings: settingsOf(model),
      tail,
    })
    this.made.push({ position: writing.end as Position, text: promptText(prompt) })
    tried.calls++
    expectWhole(prompt.messages)
    const plain = withoutTail(prompt, tail)
    expectSame(plain.messages, this.naively(number, model))
    this.expectNamed(writing, number)
    const key = `${id} ${version} ${this.setup} ${model}`
    if (this.grows(key, plain)) tried.beginnings++
    if (tail !== null && plain.messages.length > 0 && this.grows(`${key} ${turn}`, prompt)) tried.tailsKept++
    if (tail !== null && !this.shows(number, tail.after)) tried.tailsMoved++
  }

  reload(writing: Writing, system: number, tools: number): void {
    const specs = Array.from({ length: tools }, (_, n) => {
      return { name: `tool${n}`, description: '', parameters: { type: 'object' } }
    })
    const act = { branch: this.trial.id(0), at: this.trial.now, author: PERSON }
    changeSetup(writing, { system: `system ${system}`, tools: specs }, act)
    this.setup = `system ${system}, tools ${tools}`
  }

  /** A turn has the same tail in all of its calls. */
  tailOf(turn: TurnId, after: Position | null): Tail {
    const known = this.tails.get(turn)
    if (known !== undefined) return known
    const tail = after === null ? null : { text: `tail ${turn} \uD83D`, after }
    this.tails.set(turn, tail)
    return tail
  }

  /** CTX6: it begins with what it began with the last time; false when there was no last time. */
  grows(key: string, prompt: Prompt): boolean {
    const last = this.before.get(key)
    this.before.set(key, prompt)
    if (last === undefined) return false
    expectSame({ ...prompt, messages: prompt.messages.slice(0, last.messages.length) }, last)
    return true
  }

  /** The prompt as the naive model has it: its array, one entry after another. */
  naively(number: number, model: string): PromptMessage[] {
    const messages = bare(this.trial.naive.get(number).entries).flatMap((entry) => {
      if (entry.kind === 'summed') return [user(`## Conversation History 🧠\n\n${entry.id}`)]
      const message = this.said.get(entry.message.id)?.message
      if (message === undefined) throw new Error(`nobody said ${entry.message.id}`)
      return naiveMessage(message, model)
    })
    const isHeadless = messages[0]?.role === 'assistant'
    return isHeadless
      ? [user('(The conversation goes on from here; what came before is not shown.)'), ...messages]
      : messages
  }

  shows(number: number, position: Position): boolean {
    const shown = bare(this.trial.naive.get(number).entries)
    return shown.some(
      (entry) => entry.kind === 'said' && this.said.get(entry.message.id)?.position === position,
    )
  }

  /** CTX7: whose messages are shown is named in the list. */
  expectNamed(reader: Reader, number: number): void {
    const list = listOf(reader, getBranch(reader, this.trial.id(number)))
    const named = new Set<string>(list.map(({ src }) => src))
    for (const entry of bare(this.trial.naive.get(number).entries)) {
      const isNamed = entry.kind === 'summed' || named.has(this.trial.id(entry.message.src))
      if (!isNamed) throw new Disagreement(`[CTX7] ${entry.message.id} is of a branch that no item names`)
    }
  }
}

/**
 * The log, with messages that have more to them than the naive model's: heads, thoughts, empty texts, halves of pairs;
 * and with something happening before each of them, also in the middle of a step.
 */
function dressing(writing: Writing, life: Life, operation: Operation): Writing {
  return {
    get end() {
      return writing.end
    },
    event: (position) => writing.event(position),
    row: (table, key) => writing.row(table, key),
    rows: (table, stretch) => writing.rows(table, stretch),
    append: (draft) => {
      if (draft.kind !== 'message-added') return writing.append(draft)
      // All results of a recovery are written before the naive model hears of them.
      if (operation.do !== 'recover') life.happenNext(writing)
      const message = dressed(draft.message, life.said.size)
      const position = writing.append({ ...draft, message })
      life.said.set(identity(draft.message), { message, position })
      return position
    },
  }
}

function dressed(message: Message, n: number): Message {
  switch (message.role) {
    case 'user':
      return {
        ...message,
        ...(n % 3 > 0 && { head: `[head ${n}]` }),
        ...(n % 3 > 1 && { before: ['updates', 'preamble'] }),
      }
    case 'note':
      return n % 2 > 0 ? message : { ...message, author: { by: 'policy', name: 'test' } }
    case 'tool':
      return { ...message, text: `${message.text} ${n}` }
    case 'assistant':
      return {
        ...message,
        text: n % 4 === 0 ? '' : `${message.text}${n % 5 === 0 ? '\uDE00' : ''}`,
        ...(n % 3 > 0 && { model: MODELS[n % 2] ?? MODELS[0] }),
        ...(n % 3 > 1 && { reasoning: [{ text: `thought ${n}`, data: { n } }] }),
      }
  }
}

function naiveMessage(message: Message, model: string): PromptMessage[] {
  switch (message.role) {
    case 'user': {
      const parts = message.head === undefined ? [] : [message.head, ...(message.before ?? [])]
      return [user([...parts, message.text].join('\n\n'))]
    }
    case 'note':
      return [user(`[note from the ${message.author.by === 'policy' ? 'host' : 'person'}]\n${message.text}`)]
    case 'tool':
      return [{ role: 'tool', call: message.call, tool: message.tool, text: message.text }]
    case 'assistant': {
      const { text, calls } = message
      if (text === '' && calls.length === 0) return []
      const reasoning = message.model === model ? (message.reasoning ?? []) : []
      return [{ role: 'assistant', text: text.replace('\uDE00', '\uFFFD'), reasoning, calls }]
    }
  }
}

function user(text: string): PromptMessage {
  return { role: 'user', text }
}

function settingsOf(model: string): Settings {
  return { model, tokensMax: null, temperature: null, thinking: 'off', toolChoice: 'auto' }
}

/** CTX3: behind each call stand its results, all of them and nothing else before they are complete. */
function expectWhole(messages: readonly PromptMessage[]): void {
  let open: readonly string[] = []
  for (const message of messages) {
    const isResult = message.role === 'tool'
    if (isResult ? !open.includes(message.call) : open.length > 0)
      throw new Disagreement(`[CTX3] ${JSON.stringify(message)} while ${open.join()} waits for its result`)
    if (isResult) open = open.filter((call) => call !== message.call)
    else open = message.role === 'assistant' ? message.calls.map(({ id }) => id) : []
  }
  expect(open).toEqual([])
}

/** Texts are compared first: there are thousands of long prompts, and what differs is wanted only where something does. */
function expectSame(real: object, expected: object): void {
  const [a, b] = [real, expected].map((value) => JSON.stringify(value))
  if (a !== b) expect(real).toEqual(expected)
}

function withoutTail(prompt: Prompt, tail: Tail): Prompt {
  const text = tail?.text.toWellFormed()
  const messages = prompt.messages.filter((message) => message.role !== 'user' || message.text !== text)
  expect(prompt.messages.length - messages.length).toBe(tail === null ? 0 : 1)
  return { ...prompt, messages }
}

function open(disk: MemoryDisk): Log {
  return openMemoryLog({ disk, projections: PROJECTIONS })
}

async function live(sequence: readonly Operation[], between: readonly Happening[]): Promise<void> {
  const life = new Life(between)
  const disk = new MemoryDisk()
  let log = open(disk)
  await log.write((writing) => {
    createRoot(life.trial, writing, 'main')
    life.reload(writing, 0, 0)
  })
  for (const operation of sequence) {
    if (operation.do === 'restart') {
      await log.close()
      log = open(disk)
    }
    await log.write((writing) => {
      perform(life.trial, dressing(writing, life, operation), operation)
      life.happenNext(writing)
    })
  }
  await log.read((reader) => expectRebuilt(life, reader))
  const lines: string[] = []
  for await (const event of log.events()) lines.push(toLine(event))
  await log.close()
  expectRebuilt(life, foldedFrom(lines))
}

/** CTX8: whatever changed since, every prompt comes out of the log as it went into the model. */
function expectRebuilt({ made }: Life, reader: Reader): void {
  for (const { position, text } of made) {
    const rebuilt = rebuildPrompt(reader, reader.event(position) as Recorded)
    expect(rebuilt.text).toBe(text)
    expect(rebuilt.isSame).toBe(true)
  }
}

/** A log that was exported, folded from nothing. */
function foldedFrom(lines: readonly string[]): Reader {
  const nothing: Reader = {
    end: 0,
    event: (position) => {
      throw new Error(`there is no event ${position}`)
    },
    row: () => undefined,
    rows: () => [],
  }
  const folded = new Staged(nothing, PROJECTIONS)
  for (const line of lines) folded.take(fromLine(line))
  return folded
}

test('[CTX3] [CTX6] [CTX7] [CTX8] every prompt is what the naive model shows, begins as the one before, and is rebuilt from the log', async () => {
  await fc.assert(fc.asyncProperty(operations, happenings, live), { numRuns: RUNS })
  if (!isWholeRun) return
  expect(tried.calls).toBeGreaterThan(RUNS)
  expect(tried.beginnings).toBeGreaterThan(RUNS)
  expect(tried.tailsKept).toBeGreaterThan(RUNS / 5)
  expect(tried.tailsMoved).toBeGreaterThan(0)
})
