import { z } from 'zod'
import { isoAt } from '../../base/time-text.ts'
import { oneLine } from '../../base/width.ts'
import { getBranch } from '../../context/branch.ts'
import { branchNames } from '../../context/naming.ts'
import { messageTable } from '../../context/tables.ts'
import { headOf } from '../../context/message-index.ts'
import { marksOf } from '../../context/version.ts'
import { shownWith } from '../../event/file.ts'
import type { Message } from '../../event/event.ts'
import { fence } from '../../event/fence.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Mark } from '../../event/item.ts'
import type { Reader } from '../../event/table.ts'
import { defineTool } from '../../tool/define-tool.ts'
import { builtIn, type Tool } from '../../tool/tool.ts'
import { readBranch, readNamed, type BranchReading } from './arguments.ts'

const MARKS_MAX = 200
/** How many messages are searched for words after a mark: the first may be calls and results. */
const LOOKED_AT_MAX = 20
const WORDS_MAX = 100

const USAGE = 'Usage: marks {"branch"?: an ID or "main"}.'

/** Lists where a branch can be rewound to, for branches that `read_log` would read. */
export function marksTool(parts: Pick<BranchReading, 'log' | 'recall'>): Tool {
  return defineTool({
    name: 'marks',
    description:
      'Lists the marks of a branch: name, position, time and what was said next. read_log {"around": position} shows more.',
    schema: z.strictObject({ branch: z.string().describe('ID or main; default: yours').exactOptional() }),
    usage: USAGE,
    nature: builtIn('looks'),
    run: ({ branch: word }, { branch: caller }) => {
      const named = (reader: Reader) =>
        word === undefined ? { is: caller } : readBranch(reader, caller, word)
      const foreign = `That branch belongs to another person. ${USAGE}`
      return readNamed({ ...parts, caller, named, foreign }, (reader, branch) => ({
        text: JSON.stringify(listed(reader, branch)),
        isError: false,
      }))
    },
  })
}

function listed(reader: Reader, branch: BranchId): object {
  const all = marksOf(reader, getBranch(reader, branch))
  const name = branchNames(reader)(branch)
  const marks = all.slice(-MARKS_MAX).map((mark) => shown(reader, mark, { branch, name }))
  const older = all.length - marks.length
  return { branch: name, marks, ...(older > 0 && { older }) }
}

function shown(reader: Reader, { name, at }: Mark, place: { branch: BranchId; name: string }): object {
  const words = wordsAfter(reader, place.branch, at)
  return {
    name,
    position: at,
    at: isoAt(reader.event(at).at),
    ...(words !== undefined && { next: fence(`log:${place.name}`, words) }),
  }
}

/** Never past the head: a running step is not part of the conversation yet. */
function wordsAfter(reader: Reader, branch: BranchId, mark: Position): string | undefined {
  const to = headOf(reader, branch) ?? 0
  const stretch = { prefix: [branch], from: mark + 1, to, order: 'up', limit: LOOKED_AT_MAX } as const
  for (const row of reader.rows(messageTable, stretch)) {
    const event = reader.event(row.position)
    const text = event.kind === 'message-added' ? spoken(event.message) : ''
    if (text !== '') return text.length <= WORDS_MAX ? text : `${text.slice(0, WORDS_MAX).toWellFormed()}…`
  }
  return undefined
}

function spoken(message: Message): string {
  return message.role === 'tool' ? '' : oneLine(shownWith(message))
}
