import { systemClock } from '../../base/clock.ts'
import { parsedJson } from '../../base/json.ts'
import { systemRandom } from '../../base/random.ts'
import { newBranchId } from '../../context/branch.ts'
import { isRefusal } from '../../context/decision.ts'
import { createBranch } from '../../context/fork.ts'
import { addMessage } from '../../context/step.ts'
import type { Author } from '../../event/event.ts'
import type { Writing } from '../../event/table.ts'
import { importExport } from './import-export.ts'
import { ImportError, linesOf, type Line } from './lines.ts'
import { openForWriting } from '../home/open-log.ts'
import { repair, type Sound, type Transcript } from './transcript.ts'
import {
  claudeTranscript,
  isClaudeLine,
  isFields,
  openAiTranscripts,
  salvagedTranscripts,
} from './transcript-formats.ts'

export type Imported =
  | { readonly kind: 'log'; readonly events: number }
  | {
      readonly kind: 'conversations'
      readonly format: string
      readonly conversations: readonly ImportedBranch[]
    }

export type ImportedBranch = ReturnType<typeof appendConversation>

const FORMATS =
  "mainstem reads three formats: its own export (JSON Lines of 'mainstem export'), OpenAI-style messages " +
  '(a JSON array of {role, content}, or {messages: […]}, or an array of those), and session files of Claude Code (JSONL)'

/** Reads an export or a transcript into the home's log: all of it or nothing. The home is touched last. */
export async function importInto(options: {
  readonly home: string
  /** The file without folder and extension: used in titles of branches and in messages. */
  readonly name: string
  readonly input: AsyncIterable<Uint8Array>
  /** `messages`: reads only the messages of an export, so it may have gaps. */
  readonly take: 'everything' | 'messages'
  readonly progress?: (events: number) => void
}): Promise<Imported> {
  const { home, name, take, progress } = options
  const input = linesOf(options.input)
  const first = await firstLine(input)
  const opening = parsedJson(first.text)
  const lines = startingWith(first, input)
  const isExport = isFields(opening) && 'position' in opening && 'kind' in opening
  if (take === 'messages') {
    if (!isExport) throw new ImportError("--salvage only reads exports written by 'mainstem export'")
    return importTranscripts(home, 'a salvaged export', await salvagedTranscripts(lines))
  }
  if (isExport) return { kind: 'log', events: await importExport({ home, lines, progress }) }
  if (isClaudeLine(opening))
    return importTranscripts(home, 'Claude Code', [await claudeTranscript(lines, name)])
  return importTranscripts(home, 'OpenAI-style messages', await readOpenAi(lines, name))
}

async function firstLine(lines: AsyncIterator<Line>): Promise<Line> {
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    if (next.value.text.trim() !== '') return next.value
  }
  throw new ImportError(`it is empty. ${FORMATS}`)
}

async function* startingWith(first: Line, rest: AsyncIterable<Line>): AsyncGenerator<Line> {
  yield first
  yield* rest
}

/** One JSON value, or one conversation in each line. */
async function readOpenAi(lines: AsyncIterable<Line>, name: string): Promise<Transcript[]> {
  const texts: string[] = []
  for await (const { text } of lines) texts.push(text)
  const whole = parsedJson(texts.join('\n'))
  const each = texts.filter((text) => text.trim() !== '').map(parsedJson)
  const transcripts = openAiTranscripts(whole, name) ?? openAiTranscripts(each, name)
  if (transcripts === undefined) throw new ImportError(`its format is unknown. ${FORMATS}`)
  return transcripts
}

async function importTranscripts(
  home: string,
  format: string,
  transcripts: readonly Transcript[],
): Promise<Imported> {
  const sound = transcripts.map((transcript) => ({ transcript, sound: repair(transcript.entries) }))
  if (sound.every(({ sound: { entries } }) => entries.length === 0))
    throw new ImportError(`it looks like ${format}, but has no messages`)
  const log = openForWriting({ home, command: 'mainstem import' })
  try {
    const [now, seed] = [systemClock(), systemRandom()]
    const conversations = await log.write((writing) =>
      sound.map((one, index) => appendConversation(writing, one, { now, seed: seed + index })),
    )
    return { kind: 'conversations', format, conversations }
  } finally {
    await log.close()
  }
}

const AUTHOR: Author = { by: 'policy', name: 'import' }

/** Makes a branch that has ended: it can be read, and nobody continues it by accident. */
function appendConversation(
  writing: Writing,
  { transcript, sound }: { transcript: Transcript; sound: Sound },
  { now, seed }: { now: number; seed: number },
) {
  const at = sound.entries.find((entry) => entry.at !== null)?.at ?? now
  const branch = newBranchId(writing, { at, seed })
  const title = `imported: ${transcript.name}`
  writing.append(createBranch({ child: branch, mode: 'fork', title, at, author: AUTHOR }).draft)
  let time = at
  for (const { at, message, tokens } of sound.entries) {
    time = at ?? time
    const added = addMessage(writing, { branch, at: time, message, tokens })
    if (isRefusal(added))
      throw new ImportError(`a message of ${transcript.name} does not fit: ${added.refused}`)
    // Nobody vouches for what another program says that somebody said (LEAVE1).
    writing.append({ ...added.draft, elsewhere: true })
  }
  writing.append({ kind: 'branch-ended', branch, at: time, reason: 'finished', author: AUTHOR })
  const { name, skipped } = transcript
  return { branch, name, messages: sound.entries.length, skipped, repairs: sound.repairs }
}
