import { canonicalJson } from '../../base/canonical.ts'
import type { Json } from '../../base/json.ts'
import { getBranch } from '../../context/branch.ts'
import { headOf } from '../../context/message-index.ts'
import { promptWithSources } from '../../context/prompt.ts'
import { listAtVersion } from '../../context/version.ts'
import type { EventOf } from '../../event/event.ts'
import type { BranchId, TurnId } from '../../event/id.ts'
import type { Prompt, Settings, ToolSpec } from '../../event/prompt.ts'
import { allRows, type Reader, type Writing } from '../../event/table.ts'
import type { Reason } from '../../event/work.ts'
import type { Tail } from './begin.ts'
import { contentOf, hashOf, keep, setupOf } from '../state/setup.ts'
import { modelCallTable } from '../state/tables.ts'

export interface NewCall {
  readonly branch: BranchId
  readonly turn: TurnId
  readonly call: number
  readonly at: number
  /** The person's day. */
  readonly day: string
  readonly settings: Settings
  readonly tail: Tail | null
}

/** Makes the prompt of a call from the log as it stands, and records everything that it was made of. */
export function recordCall(writing: Writing, act: NewCall): Prompt {
  const { branch, turn, call, at, day, tail } = act
  const setup = setupOf(writing, branch)
  if (setup === undefined)
    throw new TypeError('no setup was ever written, so there is nothing to prompt with')
  const { version } = getBranch(writing, branch)
  const head = headOf(writing, branch)
  const refs = {
    version,
    head,
    ...setup,
    settings: keep(writing, act, canonicalJson(act.settings)),
    tail: tail && tailRefs(writing, act, tail),
  }
  const { prompt } = promptFrom(writing, refs)
  const hash = hashOf(promptText(prompt))
  writing.append({ kind: 'model-called', branch, at, turn, call, prompt: hash, day, ...refs })
  return prompt
}

function tailRefs(writing: Writing, act: NewCall, { text: words, after, why }: Tail) {
  const text = keep(writing, act, words)
  const before = act.call === 1 ? undefined : callAt(writing, act.turn, act.call - 1)
  const isTold = why === undefined || before?.tail?.text === text
  return { text, after, ...(!isTold && { why: [...why] }) }
}

/** Why recall brought each piece into this call, as recorded then; undefined: it was not recorded, or there is none. */
export function reasonsFor(reader: Reader, { turn, call, tail }: Recorded): readonly Reason[] | undefined {
  for (let number = call, told = tail; told !== null && told.text === tail?.text; number--) {
    if (told.why !== undefined) return told.why
    told = callAt(reader, turn, number - 1)?.tail ?? null
  }
  return undefined
}

function callAt(reader: Reader, turn: TurnId, call: number): Recorded | undefined {
  const row = reader.row(modelCallTable, [turn, call])
  return row && (reader.event(row.position) as Recorded)
}

/** The place of the tail in a call's prompt. Kept outside the prompt, whose bytes are hashed for ever. */
export function tailPlace({ messages }: Prompt, tail: NewCall['tail']): number | undefined {
  const text = tail?.text.toWellFormed()
  const place = messages.findLastIndex((message) => message.role === 'user' && message.text === text)
  return place < 0 ? undefined : place
}

export type Recorded = EventOf<'model-called'>

/** The prompt of an earlier call, rebuilt from the log alone, and whether it is the one that was sent. */
export function rebuildPrompt(reader: Reader, recorded: Recorded) {
  const { prompt, sources } = promptFrom(reader, recorded)
  const text = promptText(prompt)
  return { prompt, sources, text, isSame: hashOf(text) === recorded.prompt }
}

export function callsOf(reader: Reader, turn: TurnId): Recorded[] {
  const rows = [...allRows(reader, modelCallTable, { prefix: [turn] })]
  return rows.map((row) => reader.event(row.position) as Recorded)
}

/** The neutral prompt as the model got it, as canonical JSON. */
export function promptText(prompt: Prompt): string {
  return canonicalJson(prompt as unknown as Json)
}

type References = Pick<Recorded, 'version' | 'head' | 'system' | 'tools' | 'settings' | 'tail'>

function promptFrom(reader: Reader, refs: References) {
  return promptWithSources(reader, listAtVersion(reader, refs.version, refs.head), {
    system: contentOf(reader, refs.system),
    tools: JSON.parse(contentOf(reader, refs.tools)) as ToolSpec[],
    settings: JSON.parse(contentOf(reader, refs.settings)) as Settings,
    tail: refs.tail && { text: contentOf(reader, refs.tail.text), after: refs.tail.after },
  })
}
