import { sentence } from '../base/words.ts'
import { resolve } from 'node:path'
import { homeFromEnvironment, preferSmallHeap } from '../base/environment.ts'
import { systemEnvironment } from '../config/source.ts'
import { LOG_FORMAT, PROGRAM_VERSION } from '../event/format.ts'
import {
  CommandError,
  parseCommandLine,
  UsageError,
  usageLine,
  type Command,
  type World,
} from './frame/command.ts'
import { readCommandLine, type CommandLine } from './frame/command-line.ts'
import { meantWord } from './frame/meant-word.ts'
import { Output, OutputError, ReaderGone } from './frame/output.ts'

/** Loaded when they are run or explained: a question must not wait for what it does not need. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  tour: async () => (await import('./look/tour.ts')).tourCommand,
  status: async () => (await import('./look/status.ts')).statusCommand,
  context: async () => (await import('./look/context.ts')).contextCommand,
  agents: async () => (await import('./look/agents.ts')).agentsCommand,
  log: async () => (await import('./look/log.ts')).logCommand,
  recall: async () => (await import('./look/recall.ts')).recallCommand,
  run: async () => (await import('./talk/run.ts')).runCommand,
  routine: async () => (await import('./job/jobs.ts')).routineCommand,
  reminder: async () => (await import('./job/jobs.ts')).reminderCommand,
  webhook: async () => (await import('./job/jobs.ts')).webhookCommand,
  daemon: async () => (await import('./talk/daemon.ts')).daemonCommand,
  updates: async () => (await import('./look/updates.ts')).updatesCommand,
  todo: async () => (await import('./job/todo.ts')).todoCommand,
  'ping-budget': async () => (await import('./job/ping-budget.ts')).pingBudgetCommand,
  skills: async () => (await import('./store/skills.ts')).skillsCommand,
  mcp: async () => (await import('./store/mcp.ts')).mcpCommand,
  models: async () => (await import('./store/models.ts')).modelsCommand,
  config: async () => (await import('./store/config.ts')).configCommand,
  export: async () => (await import('./store/export.ts')).exportCommand,
  import: async () => (await import('./store/import.ts')).importCommand,
  doctor: async () => (await import('./store/doctor.ts')).doctorCommand,
}

/** Exit codes: 0 done, 1 failed, 2 not understood, 3 the log is in use; 128 and a signal's number when it ended it. */
export async function main(args: readonly string[], world: World = worldOfProcess()): Promise<number> {
  const { out, err } = world
  let code: number
  try {
    code = await dispatch(readCommandLine(args), world)
    await out.flush()
  } catch (error) {
    // Nothing is flushed after this: what nobody reads any more would only fail again.
    if (error instanceof ReaderGone) return 0
    code = await codeOf(error)
    await out.flush().catch(() => undefined)
    void err.line(err.safe(`mainstem: ${sentence((error as Error).message)}`))
  }
  await err.flush().catch(() => undefined)
  return code
}

function worldOfProcess(): World {
  preferSmallHeap()
  const environment = systemEnvironment()
  const { stdin: input, stdout, stderr } = process
  const [out, err] = [new Output(stdout, environment), new Output(stderr, environment)]
  return { environment, input, out, err }
}

/** An error that is nobody's expectation is a bug, and ends the process with all there is to know about it. */
async function codeOf(error: unknown): Promise<number> {
  if (error instanceof UsageError) return 2
  if (error instanceof CommandError || error instanceof OutputError) return 1
  const { LogError } = await import('../log/log.ts')
  if (error instanceof LogError) return error.code === 'in-use' ? 3 : 1
  const { EventError } = await import('../event/codec.ts')
  const { FoldError } = await import('../context/branch.ts')
  const { ConfigError } = await import('../config/config.ts')
  if ([EventError, FoldError, ConfigError].some((kind) => error instanceof kind)) return 1
  throw error
}

async function dispatch(line: CommandLine, world: World): Promise<number> {
  const { out } = world
  if (line.kind === 'version') return say(out, [`mainstem ${PROGRAM_VERSION} (log format ${LOG_FORMAT})`])
  if (line.kind === 'help') return help(line.about, out)
  if (line.kind === 'talk') {
    const { talk } = await import('./talk/talk.ts')
    return talk({ home: chosenHome(line.home, world), ...line.talk, ...world })
  }
  const command = await commandNamed(line.name, line.args)
  const { values, words } = parseCommandLine(command, line.args)
  if (values['help'] === true) return help(line.name, out)
  return command.run({ home: chosenHome(values['home'] ?? line.home, world), words, values, ...world })
}

function chosenHome(value: unknown, { environment }: World): string {
  if (typeof value !== 'string') return resolve(homeFromEnvironment(environment))
  if (value === '') throw new UsageError('--home needs a directory: --home DIR')
  return resolve(value)
}

async function commandNamed(name: string, args: readonly string[] = []): Promise<Command> {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (load !== undefined) return load()
  const { catalogue } = await import('../command/read/catalogue.ts')
  const slash = await slashNamed(name)
  const nearSlash =
    slash === undefined
      ? meantWord(
          name,
          catalogue.map((entry) => entry.name),
        )
      : undefined
  const near =
    meantWord(name, [...Object.keys(commands), 'help']) ??
    (nearSlash === undefined ? undefined : `/${nearSlash}`)
  const meant = near === undefined ? '.' : `; did you mean '${near}'?`
  const words = [slash === undefined ? name : `/${slash}`, ...args].join(' ').replaceAll('"', '')
  const hint =
    slash !== undefined
      ? `'/${slash}' is a command of the conversation: mainstem -p "${words}"`
      : args.length === 0
        ? "'mainstem help' lists the commands"
        : `To ask something, put it in quotes: mainstem "${words}"`
  throw new UsageError(`Unknown command '${name}'${meant} ${hint}`)
}

async function help(name: string | undefined, out: Output): Promise<number> {
  if (name === undefined || name === 'help') return say(out, await overview())
  const slash = Object.hasOwn(commands, name) ? undefined : await slashNamed(name)
  if (slash !== undefined) return slashHelp(slash, out)
  const command = await commandNamed(name)
  return say(out, [
    `mainstem ${name}: ${command.summary}`,
    '',
    `Usage: ${usageLine(command)}`,
    '',
    command.details,
  ])
}

/** The command of the conversation that a word names, with its slash or without. */
async function slashNamed(word: string): Promise<string | undefined> {
  const { commandNamed: entryNamed } = await import('../command/read/catalogue.ts')
  return entryNamed(word.replace(/^\//, ''))?.name
}

async function slashHelp(name: string, out: Output): Promise<number> {
  const { helpText } = await import('../command/read/help-text.ts')
  return say(out, [
    `'/${name}' is a command of the conversation: type it in a chat, or mainstem -p "/${name}"`,
    '',
    ...helpText(name).split('\n'),
  ])
}

async function overview(): Promise<string[]> {
  const known = await Promise.all(Object.values(commands).map((load) => load()))
  const width = Math.max(...known.map(({ name }) => name.length))
  return [
    'Mainstem: an always-on personal agent whose context you can see and steer.',
    '',
    '  mainstem                 chat in the terminal; without one, each line of the standard input is a',
    '                           message or a command, and the answers go to the standard output',
    '  mainstem -p "QUESTION"   answers one question; mainstem "TWO WORDS" does the same',
    '',
    '  --home DIR        the home to use; otherwise MAINSTEM_HOME, otherwise ~/.mainstem',
    '  --model NAME      the model that answers this time, such as anthropic/MODEL or offline',
    "  --set KEY=VALUE   any setting for this time; 'mainstem config list' names them; may be repeated",
    '  --json            one JSON object for each line of input: input, output, branch, turn; whatever',
    '                    else is said is an {"event": …}',
    '  --wait SECONDS    at the end of the input, how long running branches are waited for (10)',
    '  --help            help for a command',
    '  --version         the version of the program and of its log format',
    '',
    'Commands:',
    ...known.map(({ name, summary }) => `  mainstem ${name.padEnd(width)}  ${summary}`),
    '',
    "'mainstem help COMMAND' says more, also of the /commands of a conversation, which /help lists there.",
    '',
    'Exit codes: 0 done, 1 failed, 2 not understood, 3 the log is in use by another process.',
  ]
}

function say(out: Output, lines: readonly string[]): number {
  for (const line of lines) void out.line(line)
  return 0
}
