import { EventError, fromLine } from '../../event/codec.ts'
import type { Event, Message } from '../../event/event.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import { ImportError, type Line } from './lines.ts'
import type { Entry, Transcript } from './transcript.ts'

/** The conversation of one branch, as far as its events are there. */
interface Salvaged {
  title: string | null
  readonly entries: Entry[]
}

/**
 * Reads an export with gaps, as a damaged log gives it: what was said on each branch. Lists, marks and forks refer to
 * positions that may be missing, so they are left behind.
 */
export async function salvagedTranscripts(lines: AsyncIterable<Line>): Promise<readonly Transcript[]> {
  const branches = new Map<BranchId, Salvaged>()
  let skipped = 0
  for await (const line of lines) {
    if (line.text.trim() === '') continue
    const event = eventOf(line)
    if (event === undefined) skipped++
    else add(branches, event)
  }
  const transcripts = [...branches]
    .filter(([, { entries }]) => entries.length > 0)
    .map(([id, { title, entries }]) => ({ name: title ?? handleOf(id), entries, skipped: 0 }))
  const [first, ...rest] = transcripts
  if (first === undefined) throw new ImportError('no line of it is a message of an export')
  return [{ ...first, skipped }, ...rest]
}

function eventOf({ text }: Line): Event | undefined {
  try {
    return fromLine(text)
  } catch (error) {
    if (error instanceof EventError) return undefined
    throw error
  }
}

function add(branches: Map<BranchId, Salvaged>, event: Event): void {
  const branch = branches.get(event.branch) ?? { title: null, entries: [] }
  branches.set(event.branch, branch)
  if (event.kind === 'branch-created') branch.title = event.title
  if (event.kind === 'message-added') branch.entries.push({ at: event.at, said: saidOf(event.message) })
}

function saidOf(message: Message): Entry['said'] {
  if (message.role === 'tool') return { role: 'tool', call: message.call, text: message.text }
  if (message.role === 'assistant') return message
  return { role: message.role, text: message.text }
}
