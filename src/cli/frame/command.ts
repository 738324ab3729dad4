import type { Readable } from 'node:stream'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { nearest } from '../../base/nearest.ts'
import type { Environment } from '../../config/table/source.ts'
import type { Output } from './output.ts'

/** One command of the command line. What it prints for `--help` is made of its own words. */
export interface Command {
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  /** What follows the name: `[--branch B] FILE`. */
  readonly usage: string
  /** The rest of its help, as it is printed. */
  readonly details: string
  readonly options?: Options
  /** How many words it takes; left out: none. */
  readonly argumentsMin?: number
  readonly argumentsMax?: number
  /** Resolves with the exit code. */
  run(call: CommandCall): Promise<number>
}

/** The surroundings of the program. Tests give their own, and run commands without a process for each. */
export interface World {
  readonly environment: Environment
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly out: Output
  readonly err: Output
}

export interface CommandCall extends World {
  readonly home: string
  readonly words: readonly string[]
  readonly values: Readonly<Record<string, unknown>>
}

/** The person asked for something that cannot be: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What was asked for is not there, or was not done: exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

type ParseOptions = NonNullable<ParseArgsConfig['options']>

/** What the options of a command are: texts may be given more than once. */
export type Options = Readonly<Record<string, 'flag' | 'text' | 'texts'>>

const FORMS: Readonly<Record<Options[string], ParseOptions[string]>> = {
  flag: { type: 'boolean' },
  text: { type: 'string' },
  texts: { type: 'string', multiple: true },
}

/** One letter for an option, in every command that has it. */
const SHORT: Readonly<Record<string, string>> = { help: 'h', follow: 'f' }

function parseOptions(options: Options): ParseOptions {
  const entries = Object.entries(options).map(([name, form]) => {
    const short = SHORT[name]
    return [name, { ...FORMS[form], ...(short !== undefined && { short }) }] as const
  })
  return Object.fromEntries(entries)
}

export function parseCommandLine(command: Command, args: readonly string[]): Parsed {
  const { values, positionals } = parsed(command, args)
  const { name, argumentsMin = 0, argumentsMax = 0 } = command
  if (values['help'] === true) return { values, words: positionals }
  const count = positionals.length
  if (count > argumentsMax) {
    const extra = JSON.stringify(positionals[argumentsMax])
    throw new UsageError(`'mainstem ${name}' does not take ${extra}. Usage: ${usageLine(command)}`)
  }
  if (count < argumentsMin) {
    const needed = requiredWords(command)
    throw new UsageError(
      `Missing ${needed.slice(count).join(' and ')}. Usage: mainstem ${name} ${needed.join(' ')}`,
    )
  }
  return { values, words: positionals }
}

/** `mainstem log [--kind KIND]` */
export function usageLine({ name, usage }: Pick<Command, 'name' | 'usage'>): string {
  return `mainstem ${name} ${usage}`.trimEnd()
}

/** Of `[--since T] WORDS…`: WORDS. */
function requiredWords({ usage }: Command): string[] {
  return usage.replaceAll(/\[[^\]]*\]/g, '').match(/[A-Z]+(?:\.md)?/g) ?? []
}

interface Parsed {
  readonly values: Readonly<Record<string, unknown>>
  readonly words: readonly string[]
}

function parsed(command: Command, args: readonly string[]) {
  const options = parseOptions({ home: 'text', help: 'flag', ...command.options })
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

/** What is wrong with an option, from the words that Node has for it. */
export function optionError(
  { message }: Error,
  options: object,
  { where, help }: { readonly where: string; readonly help: string },
): UsageError {
  const [, option] = /^Unknown option '([^']*)'/.exec(message) ?? []
  if (option === undefined) return new UsageError(`${message.split(/\.?\n|\. /)[0]}. ${help}`)
  const names = Object.keys(options).map((name) => `--${name}`)
  const near = nearest(option, names)
  return new UsageError(
    `${where} no option '${option}'${near === undefined ? '.' : `; did you mean '${near}'?`} ${help}`,
  )
}

/** A number below zero is a value: no command has an option that is a digit. */
const NEGATIVE = /^-\.?\d/
/** No word of a command line can have it. */
const NO_OPTION = '\0'

function asTyped<T>(value: T): T {
  if (Array.isArray(value)) return value.map(asTyped) as T
  return (typeof value === 'string' && value.startsWith(NO_OPTION) ? value.slice(1) : value) as T
}

/** The value of an option that takes a text. */
export function textOption({ values }: Pick<CommandCall, 'values'>, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

export function isSet({ values }: Pick<CommandCall, 'values'>, name: string): boolean {
  return values[name] === true
}
