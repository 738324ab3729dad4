import type { Readable } from 'node:stream'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { momentOf, MOMENT_FORMS } from '../../base/iso-time.ts'
import { meantText, nearest } from '../../base/nearest.ts'
import type { Environment } from '../../config/table/source.ts'
import type { SocketOrigin } from '../../client/socket.ts'
import { jsonText, type Output } from './output.ts'

/** One command of the command line, with its help. */
export interface Command {
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  /** What follows the name: `[--branch B] FILE`, or its verbs: `[list | get KEY]`. It says how many words are taken. */
  readonly usage: string
  /**
   * The rest of its help, as it is printed. Its options are those that have a line there: `  --json     a flag`, or
   * `  --branch B   with a value`. One that "can be repeated" has a list of values.
   */
  readonly details: string
  /** By their first words. */
  readonly verbs?: Readonly<Record<string, Verb>>
  /** Resolves with the exit code. With verbs: what is done without a word; left out: the first verb. */
  readonly run?: (call: CommandCall) => Promise<number>
}

/** The environment and streams of the program. Tests give their own, to run commands without a process. */
export interface World {
  readonly environment: Environment
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly out: Output
  readonly err: Output
}

interface Given extends World {
  readonly home: string
  readonly words: readonly string[]
  readonly values: Readonly<Record<string, unknown>>
}

export type CommandCall = ReturnType<typeof commandCall>

/** A command as it was called, with what reads its options and prints its answer. */
export function commandCall(given: Given) {
  const { values, out } = given
  const call = {
    ...given,
    isSet: (option: string): boolean => values[option] === true,
    /** What is asked for here comes from: somebody at a terminal, or a program (RIGHT1). */
    get origin(): SocketOrigin {
      if (given.input.isTTY === true) return 'terminal'
      return values['yes'] === true ? 'program --yes' : 'program'
    },
    text: (option: string) => values[option] as string | undefined,
    /** Of an option that may be given more than once. */
    texts: (option: string) => (values[option] ?? []) as string[],
    /** The moment that an option names: `--since 3d`. */
    time(option: string, words: Parameters<typeof momentOf>[1]): number | undefined {
      const text = call.text(option)
      const moment = text === undefined ? undefined : momentOf(text, words)
      if (text === undefined || moment !== undefined) return moment
      throw new UsageError(`Could not read '${text}' as a time. Write ${MOMENT_FORMS}`)
    },
    /** Prints the same data for people, or as JSON where `--json` asks for it. */
    async print(view: unknown, text: () => string | readonly string[]): Promise<number> {
      const shown = call.isSet('json') ? jsonText(view, 2) : text()
      for (const line of typeof shown === 'string' ? [shown] : shown) await out.line(line)
      return 0
    },
    /** Prints one line, and returns the exit code of a command that is done. */
    say(text: string): number {
      void out.line(text)
      return 0
    },
  }
  return call
}

/** The command line is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Something does not exist, or could not be done: exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

type ParseOptions = NonNullable<ParseArgsConfig['options']>

/** The short forms of options, the same in every command. */
const SHORT: Readonly<Record<string, string>> = { help: 'h', follow: 'f' }
/** An option, its value, and what the help says of it. */
const OPTION = /^ {2}--([a-z-]+)(?: (\S.*?))?(?: {2,}(.*))?$/gm
const EVERYWHERE = '  --home DIR\n  --help\n  --raw\n'

/** The options of a command, by its help. */
export function optionsIn(details: string): ParseOptions {
  const options = [...`${EVERYWHERE}${details}`.matchAll(OPTION)].map(([, name = '', value, text = '']) => {
    const short = SHORT[name]
    const type = value === undefined ? ('boolean' as const) : ('string' as const)
    const multiple = text.includes('can be repeated')
    return [name, { type, multiple, ...(short !== undefined && { short }) }] as const
  })
  return Object.fromEntries(options)
}

export function parseCommandLine(command: Command, args: readonly string[]): Pick<Given, 'values' | 'words'> {
  const { values, positionals: words } = parsed(command, args)
  if (values['help'] !== true) checkWords(command, words)
  return { values, words }
}

/** `mainstem log [--kind KIND]` */
export function usageLine({ name, usage }: Usage): string {
  return `mainstem ${name} ${usage}`.trimEnd()
}

type Usage = Pick<Command, 'name' | 'usage'>

function checkWords(command: Usage, words: readonly string[]): void {
  const { name, usage } = command
  // Each verb checks its own words.
  if (/^\[?[a-z]/.test(usage)) return
  const needed = usage.replaceAll(/\[[^\]]*\]/g, '').match(/[A-Z]+(?:\.md|\|[A-Z]+)?/g) ?? []
  const optional = usage.match(/\[[A-Z]+\]/g) ?? []
  const max = usage.includes('…') ? Number.POSITIVE_INFINITY : needed.length + optional.length
  if (words.length > max) {
    const extra = JSON.stringify(words[max])
    throw new UsageError(`'mainstem ${name}' does not take ${extra}. Usage: ${usageLine(command)}`)
  }
  if (words.length < needed.length) {
    const missing = needed.slice(words.length).join(' and ')
    throw new UsageError(`Missing ${missing}. Usage: mainstem ${name} ${needed.join(' ')}`)
  }
}

/** One thing that a command can do: `get KEY` of `mainstem config`. */
interface Verb {
  /** The words behind it, written as in a usage: `KEY VALUE…`, `ID [TIME]`. */
  readonly takes: string
  /** Those of the command's options that go with it; left out: all of them. */
  readonly options?: readonly string[]
  run(call: CommandCall, words: readonly string[]): Promise<number> | number
}

export async function runCommand(command: Command, call: CommandCall): Promise<number> {
  const { verbs = {}, run } = command
  if (run && (command.verbs === undefined || call.words.length === 0)) return run(call)
  const [word = Object.keys(verbs)[0] ?? '', ...words] = call.words
  const verb = Object.hasOwn(verbs, word) ? verbs[word] : undefined
  if (verb === undefined)
    throw new UsageError(`'mainstem ${command.name}' has no '${word}'. Usage: ${usageLine(command)}`)
  checkWords({ name: `${command.name} ${word}`, usage: verb.takes }, words)
  const { options = Object.keys(call.values) } = verb
  const stray = Object.keys(call.values).find((name) => ![...options, 'json', 'home', 'raw'].includes(name))
  if (stray !== undefined)
    throw new UsageError(
      `--${stray} does not go with '${word}'. 'mainstem help ${command.name}' says which options go with what`,
    )
  return verb.run(call, words)
}

function parsed(command: Command, args: readonly string[]) {
  const options = optionsIn(command.details)
  try {
    const { values, positionals } = parseArgs({
      args: args.map((word) => (NEGATIVE.test(word) ? `${NO_OPTION}${word}` : word)),
      options,
      allowPositionals: true,
      strict: true,
    })
    const read = Object.entries(values).map(([name, value]) => [name, asTyped(value)])
    return { values: Object.fromEntries(read) as typeof values, positionals: positionals.map(asTyped) }
  } catch (error) {
    throw optionError(error as Error, options, {
      where: `'mainstem ${command.name}' has`,
      help: `'mainstem help ${command.name}' lists the options`,
    })
  }
}

/** Explains Node's error about an option. */
export function optionError(
  { message }: Error,
  options: object,
  { where, help }: { readonly where: string; readonly help: string },
): UsageError {
  const [, option] = /^Unknown option '([^']*)'/.exec(message) ?? []
  if (option === undefined) return new UsageError(`${message.split(/\.?\n|\. /)[0]}. ${help}`)
  const names = Object.keys(options).map((name) => `--${name}`)
  const near = nearest(option, names)
  return new UsageError(`${where} no option '${option}'${meantText(near)} ${help}`)
}

/** A negative number is a value: no command has an option that is a digit. */
const NEGATIVE = /^-\.?\d/
/** A character that no command line can contain. */
const NO_OPTION = '\0'

function asTyped<T>(value: T): T {
  if (Array.isArray(value)) return value.map(asTyped) as T
  return (typeof value === 'string' && value.startsWith(NO_OPTION) ? value.slice(1) : value) as T
}
