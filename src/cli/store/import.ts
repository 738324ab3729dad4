import { createReadStream } from 'node:fs'
import { basename, extname } from 'node:path'
import { handleOf } from '../../event/id.ts'
import { importInto, type Imported, type ImportedBranch } from '../../runtime/store/import.ts'
import { ImportError } from '../../runtime/store/lines.ts'
import { CommandError, type Command, type CommandCall } from '../frame/command.ts'
import { oneLine } from '../../base/width.ts'
import { counted } from '../../base/words.ts'

export const importCommand: Command = {
  name: 'import',
  summary: 'read an export, or transcripts of other programs',
  usage: '[--salvage] FILE',
  details: `Reads FILE, or standard input for '-', and detects its format:

  an export of mainstem     becomes the log of a home that has none yet, as history only: nothing in
                            it will run or allow anything
  OpenAI-style messages     a JSON array of {role, content, tool_calls, …}, or {messages: […]},
                            or an array of such conversations
  Claude Code               a session file (JSONL)

Each conversation of a transcript becomes a branch that has ended. Calls without results and
results without calls are repaired and reported. Either everything is imported, or nothing.

  --salvage     for an export with gaps, from a damaged log: imports what was said on each branch,
                each as a branch that has ended`,
  run: runImport,
}

async function runImport({ home, words, isSet, ...world }: CommandCall): Promise<number> {
  const [file = '-'] = words
  const input = file === '-' ? world.input : createReadStream(file)
  const name = file === '-' ? 'standard input' : basename(file, extname(file))
  try {
    const progress = (events: number) => world.err.progress(`${counted(events, 'event')} read`)
    const take = isSet('salvage') ? 'messages' : 'everything'
    const imported = await importInto({ home, name, input, take, progress })
    world.err.bottom('')
    for (const line of report(imported)) void world.out.line(line)
    return 0
  } catch (error) {
    world.err.bottom('')
    throw explained(file, error)
  } finally {
    // A pipe that nobody reads to its end would keep the process waiting for more.
    input.destroy()
  }
}

function explained(file: string, error: unknown): unknown {
  const name = file === '-' ? 'the standard input' : file
  if (error instanceof ImportError) {
    return new CommandError(`Nothing was imported from ${name}: ${error.message}.`, { cause: error })
  }
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || (syscall !== 'open' && syscall !== 'read')) return error
  const why = code === 'ENOENT' ? 'there is no such file' : (error as Error).message
  return new CommandError(`Nothing was imported: ${name} cannot be read (${why}).`, { cause: error })
}

function report(imported: Imported): string[] {
  if (imported.kind === 'log') return [`Imported ${counted(imported.events, 'event')}.`, CLOSED]
  return imported.conversations.flatMap((one) => [
    `Imported '${oneLine(one.name)}' (${imported.format}) as branch ${handleOf(one.branch)}: ${counted(one.messages, 'message')}.`,
    ...mended(one).map((line) => `  ${line}`),
  ])
}

const CLOSED =
  'Imported as history only. Nothing in it will run: waiting messages and commands, running turns, forks, approvals, ' +
  'permissions, unsent messages and jobs have ended.'

function mended({ skipped, repairs }: ImportedBranch): string[] {
  const { resultsInvented, resultsToNotes, resultsMoved, callsRenamed } = repairs
  const changes: [count: number, what: string, how: string, many?: string][] = [
    [skipped, 'line or message', 'skipped: no part of the conversation', 'lines or messages'],
    [resultsInvented, 'call', 'without a result: one was added that says so'],
    [resultsToNotes, 'result', 'without a call: kept as notes'],
    [resultsMoved, 'result', 'moved up to the call'],
    [callsRenamed, 'call', 'renamed: another had the same id'],
  ]
  return changes.flatMap(([count, what, how, many]) =>
    count === 0 ? [] : [`${counted(count, what, many)} ${how}`],
  )
}
