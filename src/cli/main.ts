import { resolve } from 'node:path'
import { homeFromEnvironment } from '../base/environment.ts'
import { FoldError } from '../context/branch.ts'
import { EventError } from '../event/codec.ts'
import { LOG_FORMAT, PROGRAM_VERSION } from '../event/format.ts'
import { LogError } from '../log/log.ts'
import { agentsCommand } from './agents.ts'
import { CommandError, parseCommandLine, UsageError, type Command } from './command.ts'
import { doctorCommand } from './doctor.ts'
import { exportCommand } from './export.ts'
import { importCommand } from './import.ts'
import { logCommand } from './log.ts'
import { nearest } from '../base/nearest.ts'
import { Output, OutputError, ReaderGone } from './output.ts'
import { tourCommand } from './tour.ts'
import { commandLines, welcome } from './welcome.ts'

const commands: readonly Command[] = [
  tourCommand,
  logCommand,
  agentsCommand,
  exportCommand,
  importCommand,
  doctorCommand,
]

/** Exit codes: 0 done, 1 failed, 2 not understood, 3 the log is in use. */
export async function main(args: readonly string[]): Promise<number> {
  const out = new Output(process.stdout)
  const err = new Output(process.stderr)
  let code: number
  try {
    code = await dispatch(args, { out, err })
    await out.flush()
  } catch (error) {
    // Nothing is flushed after this: what nobody reads any more would only fail again.
    if (error instanceof ReaderGone) return 0
    code = codeOf(error)
    await out.flush().catch(() => undefined)
    void err.line(`mainstem: ${sentence((error as Error).message)}`)
  }
  await err.flush().catch(() => undefined)
  return code
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`
}

const EXPECTED = [CommandError, OutputError, EventError, FoldError]

/** An error that is nobody's expectation is a bug, and ends the process with all there is to know about it. */
function codeOf(error: unknown): number {
  if (error instanceof UsageError) return 2
  if (error instanceof LogError) return error.code === 'in-use' ? 3 : 1
  if (EXPECTED.some((kind) => error instanceof kind)) return 1
  throw error
}

interface Outputs {
  readonly out: Output
  readonly err: Output
}

async function dispatch(args: readonly string[], outputs: Outputs): Promise<number> {
  const { home, rest, wants } = leadingOptions(args)
  const [name, ...more] = rest
  if (wants === 'version') return say(outputs.out, [`mainstem ${PROGRAM_VERSION} (log format ${LOG_FORMAT})`])
  if (name === undefined) {
    const chosen = resolve(home ?? homeFromEnvironment())
    return wants === 'help' ? help([], outputs.out) : welcome({ home: chosen, out: outputs.out }, commands)
  }
  if (name === 'help') return help(more, outputs.out)
  if (wants === 'help') return help([name], outputs.out)
  const command = commandNamed(name)
  const { values, words } = parseCommandLine(command, more)
  if (values['help'] === true) return help([name], outputs.out)
  const chosen = chosenHome(values['home'] ?? home)
  return await command.run({ home: chosen, words, values, ...outputs })
}

interface Leading {
  readonly home: string | undefined
  readonly rest: readonly string[]
  readonly wants: 'help' | 'version' | 'neither'
}

/** Options may stand before the command too: `mainstem --home DIR log`. */
function leadingOptions(args: readonly string[]): Leading {
  let home: string | undefined
  let wants: Leading['wants'] = 'neither'
  let index = 0
  for (; args[index]?.startsWith('-') === true; index++) {
    const option = args[index] ?? ''
    if (option === '--help' || option === '-h') wants = 'help'
    else if (option === '--version') wants = 'version'
    else if (option === '--home') home = valueOfHome(args[++index])
    else if (option.startsWith('--home=')) home = valueOfHome(option.slice('--home='.length))
    else
      throw new UsageError(
        `There is no option '${option}' before a command. 'mainstem help' lists the commands`,
      )
  }
  return { home, rest: args.slice(index), wants }
}

function valueOfHome(value: string | undefined): string {
  if (value === undefined || value === '') throw new UsageError('--home needs a directory: --home DIR')
  return value
}

function chosenHome(value: unknown): string {
  return resolve(typeof value === 'string' ? valueOfHome(value) : homeFromEnvironment())
}

function commandNamed(name: string): Command {
  const command = commands.find((known) => known.name === name)
  if (command !== undefined) return command
  const near = nearest(name, [...commands.map((known) => known.name), 'help'])
  throw new UsageError(
    `Unknown command '${name}'${near ? `; did you mean '${near}'?` : '.'} 'mainstem help' lists the commands`,
  )
}

function help([name]: readonly string[], out: Output): number {
  if (name === undefined || name === 'help') {
    return say(out, [
      'Usage: mainstem [--home DIR] COMMAND [ARGUMENTS]',
      '',
      ...commandLines(commands),
      '',
      '  --home DIR    the home to use; otherwise MAINSTEM_HOME, otherwise ~/.mainstem',
      '  --help        help for a command',
      '  --version     the version of the program and of its log format',
      '',
      'Exit codes: 0 done, 1 failed, 2 not understood, 3 the log is in use by another process.',
    ])
  }
  const { usage, summary, details } = commandNamed(name)
  return say(out, [
    `mainstem ${name}: ${summary}`,
    '',
    `Usage: mainstem ${name} ${usage}`.trimEnd(),
    '',
    details,
  ])
}

function say(out: Output, lines: readonly string[]): number {
  for (const line of lines) void out.line(line)
  return 0
}
