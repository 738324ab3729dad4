import { existsSync, statSync } from 'node:fs'
import { systemClock } from '../base/clock.ts'
import { wantsColour } from '../base/environment.ts'
import { branchesByHandle } from '../context/branch.ts'
import { branchNames } from '../context/naming.ts'
import { PROGRAM_VERSION } from '../event/format.ts'
import type { Position } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { LogError } from '../log/log.ts'
import { logFile } from '../runtime/home.ts'
import { openForGlance } from '../runtime/runtime.ts'
import type { Command, CommandCall } from './command.ts'
import { excerpt } from './excerpt.ts'
import { styleFor } from '../base/style.ts'
import { shorten } from '../base/width.ts'
import { ageText, bytesText, counted, timeText } from './words.ts'

/** What `mainstem` alone prints. It only looks: a home is made by whoever first writes to it. */
export async function welcome(
  { home, out }: Pick<CommandCall, 'home' | 'out'>,
  commands: readonly Command[],
): Promise<number> {
  const { bold, dim } = styleFor(wantsColour() ? 'colour' : 'plain')
  const state = await stateOf(home)
  const lines = [
    `${bold('Mainstem')} ${PROGRAM_VERSION}: an always-on personal agent whose context you can see and steer.`,
    'Everything that happens is in one log that only grows; what a model sees is a view of it.',
    dim('In this version the log and its contexts work; the agent that talks is not built yet.'),
    '',
    `Home  ${home}`,
    ...state.lines.map((line, index) => `${index === 0 ? 'Log   ' : '      '}${line}`),
    '',
    'Commands:',
    ...commandLines(commands),
    '',
    "'mainstem help COMMAND' says more. Another home: --home DIR, or MAINSTEM_HOME.",
  ]
  for (const line of lines) void out.line(line)
  return state.isReadable ? 0 : 1
}

export function commandLines(commands: readonly Command[]): string[] {
  const width = Math.max(...commands.map(({ name }) => name.length))
  return commands.map(({ name, summary }) => `  mainstem ${name.padEnd(width)}  ${summary}`)
}

async function stateOf(home: string): Promise<{ isReadable: boolean; lines: string[] }> {
  try {
    const log = openForGlance(home)
    try {
      const lines = await log.read(summary)
      return {
        isReadable: true,
        lines: [`${lines[0]}, ${bytesText(sizeOf(logFile(home)))}`, ...lines.slice(1)],
      }
    } finally {
      await log.close()
    }
  } catch (error) {
    if (!(error instanceof LogError)) throw error
    if (error.code !== 'missing') return { isReadable: false, lines: [`cannot be read: ${error.message}`] }
    const what = existsSync(home)
      ? 'none yet'
      : 'none yet; the home does not exist and is made when first written to'
    return { isReadable: true, lines: [what] }
  }
}

function summary(reader: Reader): string[] {
  const branches = branchesByHandle(reader, '', Number.MAX_SAFE_INTEGER).length
  const counts = `${counted(reader.end, 'event')} in ${counted(branches, 'branch', 'branches')}`
  if (reader.end === 0) return [counts]
  const newest = reader.event(reader.end as Position)
  const age = ageText(systemClock() - newest.at)
  const words = `newest ${timeText(newest.at)} (${age} ago): ${excerpt(newest, branchNames(reader))}`
  return [counts, shorten(words, 74)]
}

/** With what is not yet moved from the journal into the file. */
function sizeOf(file: string): number {
  return [file, `${file}-wal`].reduce(
    (sum, name) => sum + (statSync(name, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}
