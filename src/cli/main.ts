import { meantText } from '../base/nearest.ts'
import { filledLines, unbroken } from '../base/width.ts'
import { capital, sentence } from '../base/words.ts'
import { resolve } from 'node:path'
import { homeFromEnvironment, preferSmallHeap } from '../base/environment.ts'
import { systemEnvironment } from '../config/table/source.ts'
import { homeProblem } from '../config/own-home.ts'
import { LOG_FORMAT, PROGRAM_VERSION } from '../event/format.ts'
import {
  commandCall,
  CommandError,
  parseCommandLine,
  runCommand,
  UsageError,
  usageLine,
  type Command,
  type World,
} from './frame/command.ts'
import { readCommandLine, type CommandLine } from './frame/command-line.ts'
import { meantWord } from './frame/meant-word.ts'
import { Output, OutputError, ReaderGone } from './frame/output.ts'

/** By group, for the help. A command is loaded only when it is run or explained, so that every start is quick. */
const groups: Readonly<Record<string, Readonly<Record<string, () => Promise<Command>>>>> = {
  look: {
    tour: async () => (await import('./look/tour.ts')).tourCommand,
    status: async () => (await import('./look/status.ts')).statusCommand,
    context: async () => (await import('./look/context.ts')).contextCommand,
    agents: async () => (await import('./look/agents.ts')).agentsCommand,
    log: async () => (await import('./look/log.ts')).logCommand,
    recall: async () => (await import('./look/recall.ts')).recallCommand,
    updates: async () => (await import('./look/updates.ts')).updatesCommand,
  },
  jobs: {
    run: async () => (await import('./talk/run.ts')).runCommand,
    routine: async () => (await import('./job/jobs.ts')).routineCommand,
    reminder: async () => (await import('./job/jobs.ts')).reminderCommand,
    webhook: async () => (await import('./job/jobs.ts')).webhookCommand,
    serve: async () => (await import('./talk/serve.ts')).serveCommand,
    todo: async () => (await import('./job/todo.ts')).todoCommand,
    'ping-budget': async () => (await import('./job/ping-budget.ts')).pingBudgetCommand,
  },
  'set up': {
    config: async () => (await import('./store/config.ts')).configCommand,
    models: async () => (await import('./store/models.ts')).modelsCommand,
    skills: async () => (await import('./store/skills.ts')).skillsCommand,
    mcp: async () => (await import('./store/mcp.ts')).mcpCommand,
    pair: async () => (await import('./job/people.ts')).pairCommand,
    people: async () => (await import('./job/people.ts')).peopleCommand,
    service: async () => (await import('./supervise/supervise.ts')).serviceCommand,
    open: async () => (await import('./store/open.ts')).openCommand,
  },
  data: {
    export: async () => (await import('./store/export.ts')).exportCommand,
    import: async () => (await import('./store/import.ts')).importCommand,
    doctor: async () => (await import('./store/doctor.ts')).doctorCommand,
  },
}
const commands = Object.assign({}, ...Object.values(groups)) as (typeof groups)[string]

/** Exit codes: 0 done, 1 failed, 2 not understood, 3 the log is in use; 128 plus a signal's number if one ended it. */
export async function main(args: readonly string[], world: World = worldOfProcess()): Promise<number> {
  const { out, err } = world
  let code: number
  try {
    code = await dispatch(readCommandLine(args), world)
    await out.flush()
  } catch (error) {
    // Do not flush again: nobody reads the output any more, so that would only fail.
    if (error instanceof ReaderGone) return 0
    code = await codeOf(error)
    await out.flush().catch(() => undefined)
    void err.line(`mainstem: ${sentence((error as Error).message)}`)
  }
  await err.flush().catch(() => undefined)
  return code
}

function worldOfProcess(): World {
  preferSmallHeap()
  const environment = systemEnvironment()
  const { stdin: input, stdout, stderr } = process
  const [out, err] = [new Output(stdout, environment), new Output(stderr, environment)]
  // Node prints the stack of a bug by itself, and its message may quote anything.
  process.on('uncaughtExceptionMonitor', (error) => void (error.stack = err.shown(error.stack ?? '')))
  return { environment, input, out, err }
}

/** An unexpected error is a bug, and ends the process with its whole stack trace. */
async function codeOf(error: unknown): Promise<number> {
  if (error instanceof UsageError) return 2
  if (error instanceof CommandError || error instanceof OutputError) return 1
  const { LogError } = await import('../log/log.ts')
  if (error instanceof LogError) return error.code === 'in-use' ? 3 : 1
  const { EventError } = await import('../event/codec.ts')
  const { FoldError } = await import('../context/branch.ts')
  const { ConfigError } = await import('../config/config.ts')
  const { EmbedderError } = await import('../recall/contract/embedder.ts')
  if (error instanceof ConfigError) return error.isOfFlags ? 2 : 1
  if ([EventError, FoldError, EmbedderError].some((kind) => error instanceof kind)) return 1
  const { LookError } = await import('../view/named.ts')
  if (error instanceof LookError) return error.kind === 'wrong' ? 2 : 1
  throw error
}

async function dispatch(line: CommandLine, world: World): Promise<number> {
  const { out } = world
  if (line.kind === 'version') return say(out, [`mainstem ${PROGRAM_VERSION} (log format ${LOG_FORMAT})`])
  if (line.kind === 'help') return help(line.about, out)
  if (line.kind === 'talk') {
    if (line.isRaw) printRaw(world)
    const home = chosenHome(line.home, world)
    refuseForeign(home)
    const { talk } = await import('./talk/talk.ts')
    return talk({ home, ...line.talk, ...world })
  }
  const command = await commandNamed(line.name, line.args)
  const { values, words } = parseCommandLine(command, line.args)
  if (values['help'] === true) return help(line.name, out)
  if (line.isRaw || values['raw'] === true) printRaw(world)
  const home = chosenHome(values['home'] ?? line.home, world)
  if (!FOR_ANY_HOME.has(line.name)) refuseForeign(home)
  return runCommand(command, commandCall({ home, words, values, ...world }))
}

/** Commands that say what is wrong with a home, or save what is in it; `serve` has an exit code of its own for that. */
const FOR_ANY_HOME: ReadonlySet<string> = new Set(['doctor', 'export', 'serve', 'tour'])

function refuseForeign(home: string): void {
  const problem = homeProblem(home)
  if (problem !== undefined) throw new CommandError(problem)
}

function printRaw({ out, err }: World): void {
  out.isRaw = true
  err.isRaw = true
}

function chosenHome(value: unknown, { environment }: World): string {
  if (typeof value !== 'string') return resolve(homeFromEnvironment(environment))
  if (value === '') throw new UsageError('--home needs a directory: --home DIR')
  return resolve(value)
}

async function commandNamed(name: string, args: readonly string[] = []): Promise<Command> {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (load !== undefined) return load()
  if (name === 'daemon') throw new UsageError("'mainstem daemon' is 'mainstem serve' now")
  const { catalogue } = await import('../command/read/catalogue.ts')
  const slash = await slashNamed(name)
  const slashes = catalogue.map((entry) => entry.name)
  const nearSlash = slash === undefined ? meantWord(name, slashes) : undefined
  const near = meantWord(name, [...Object.keys(commands), 'help']) ?? (nearSlash && `/${nearSlash}`)
  const meant = meantText(near)
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
  if (name === undefined || name === 'help') return say(out, overview())
  if (name === 'commands') return say(out, await commandList())
  const slash = Object.hasOwn(commands, name) ? undefined : await slashNamed(name)
  if (slash !== undefined) return slashHelp(slash, out)
  const command = await commandNamed(name)
  const { hangingLines } = await import('../channel/terminal/text/wrap.ts')
  const details = hangingLines(unbroken(command.details), out.textColumns).map((line) => line.text)
  return say(out, [`mainstem ${name}: ${command.summary}`, '', ...usageLines(command, out), '', ...details])
}

/** Broken between the forms and options of a command, never inside a short one. */
function usageLines(command: Command, { textColumns }: Output): string[] {
  const label = 'Usage: '
  const parts = usageLine(command).split(/ (?=[[|])|(?<=\]…?) /)
  return filledLines(parts, textColumns - label.length).map(
    (line, index) => (index === 0 ? label : ' '.repeat(label.length)) + line,
  )
}

/** The slash command that a word names, with or without its slash. */
async function slashNamed(word: string): Promise<string | undefined> {
  const { commandNamed: entryNamed } = await import('../command/read/catalogue.ts')
  return entryNamed(word.replace(/^\//, ''))?.name
}

async function slashHelp(name: string, out: Output): Promise<number> {
  const { helpText } = await import('../command/read/help-text.ts')
  return say(out, [
    `'/${name}' is a command of the conversation: type it in a chat, or`,
    `mainstem -p "/${name}"`,
    '',
    ...helpText(name).split('\n'),
  ])
}

/** Fits a screen of 24 lines and 80 columns. */
function overview(): string[] {
  return [
    'Mainstem: an always-on personal agent whose context you can see and steer.',
    '',
    '  mainstem                 chat; without a terminal, each line is a message',
    '  mainstem -p "QUESTION"   one answer; mainstem "TWO WORDS" does the same',
    '  mainstem COMMAND         one of these:',
    ...Object.entries(groups).map(([group, own]) => `    ${group.padEnd(8)}${Object.keys(own).join(' ')}`),
    '',
    '  --home DIR        the home to use (MAINSTEM_HOME, or ~/.mainstem)',
    '  --raw             print control characters as they are, not made visible',
    '  --model NAME      the model for this time, such as anthropic/MODEL or offline',
    '  --set KEY=VALUE   a setting for this time; can be repeated',
    '  --json            one JSON object per input line, and one per {"event": …}',
    '  --wait SECONDS    how long to wait for running branches at the end (10)',
    '  --file PATH       a file that goes with the question; can be repeated',
    '  --timeout SECONDS how long -p waits for its answer (120 while the model fails)',
    '  --yes             lets -p and pipes change rights: /allow, /approve, /model, …',
    '  --version         the version of the program and of its log format',
    '',
    "'mainstem help commands' says what each command does, 'mainstem help COMMAND'",
    "how to use one. 'mainstem help /fork' explains a command of the chat.",
    'Exit codes: 0 done, 1 failed, 2 not understood, 3 log in use by another process',
  ]
}

async function commandList(): Promise<string[]> {
  const lines = Object.entries(groups).map(async ([group, own]) => {
    const known = await Promise.all(Object.values(own).map((load) => load()))
    return ['', capital(group), ...known.map(({ name, summary }) => `  ${name.padEnd(11)}  ${summary}`)]
  })
  return (await Promise.all(lines)).flat().slice(1)
}

function say(out: Output, lines: readonly string[]): number {
  for (const line of lines) void out.line(line)
  return 0
}
