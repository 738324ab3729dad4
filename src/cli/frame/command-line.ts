import { parseArgs, type ParseArgsConfig } from 'node:util'
import { MODEL_FLAG } from '../../config/table/source.ts'
import { optionError, UsageError } from './command.ts'

/** What the words after `mainstem` ask for. */
export type CommandLine =
  | { readonly kind: 'version' }
  | { readonly kind: 'help'; readonly about: string | undefined }
  | {
      readonly kind: 'command'
      readonly name: string
      readonly args: readonly string[]
      readonly home: string | undefined
      readonly isRaw: boolean
    }
  | {
      readonly kind: 'talk'
      readonly talk: TalkOptions
      readonly home: string | undefined
      readonly isRaw: boolean
    }

/** How `mainstem` without a command was started. */
export interface TalkOptions {
  /** The one question; undefined for the chat, or for lines of standard input. */
  readonly question: string | undefined
  /** The value of `--model`; also among the flags. */
  readonly model: string | undefined
  /** Settings that override all others, by key. */
  readonly flags: Readonly<Record<string, string>>
  readonly form: 'text' | 'json'
  /** Undefined for the default. */
  readonly waitMs: number | undefined
  /** How long one question waits for its answer; undefined for the default. */
  readonly timeoutMs: number | undefined
  /** `--yes`: input that nobody types may change rights. */
  readonly isSure: boolean
  /** Files that go with the question. */
  readonly files: readonly string[]
}

const talkOptions = {
  home: { type: 'string' },
  raw: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  prompt: { type: 'string', short: 'p' },
  model: { type: 'string' },
  set: { type: 'string', multiple: true },
  json: { type: 'boolean' },
  wait: { type: 'string' },
  timeout: { type: 'string' },
  yes: { type: 'boolean' },
  file: { type: 'string', multiple: true },
} as const satisfies ParseArgsConfig['options']

/** Options that may also come before a command: `mainstem --home DIR log`. */
const EVERYWHERE: ReadonlySet<string> = new Set(['home', 'raw', 'help', 'version'])

export function readCommandLine(args: readonly string[]): CommandLine {
  const { tokens } = parseArgs({
    args: [...args],
    options: talkOptions,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const first = tokens.find((token) => token.kind === 'positional')
  // One word is a command. Words with a space cannot be one, so they are a question.
  if (first === undefined || /\s/.test(first.value)) return talkLine(args)
  const stray = tokens.find(
    (token) => token.kind === 'option' && token.index < first.index && !EVERYWHERE.has(token.name),
  )
  if (stray?.kind === 'option') throw strayOption(stray, first.value)
  return commandLine(args.slice(0, first.index), first.value, args.slice(first.index + 1))
}

function strayOption({ name, rawName }: { name: string; rawName: string }, command: string): UsageError {
  if (!Object.hasOwn(talkOptions, name))
    return new UsageError(
      `There is no option '${rawName}' before a command. 'mainstem help' lists the commands and the options`,
    )
  const what = `'${rawName}' cannot come before a command. It is for questions: mainstem ${rawName} … "QUESTION"`
  return new UsageError(
    `${what}. The options of '${command}' come after it; 'mainstem help ${command}' lists them`,
  )
}

function commandLine(before: readonly string[], name: string, args: readonly string[]): CommandLine {
  const { home, raw: isRaw = false, help, version } = parsed(before).values
  if (version === true) return { kind: 'version' }
  if (name === 'help') return { kind: 'help', about: args[0] }
  return help === true ? { kind: 'help', about: name } : { kind: 'command', name, args, home, isRaw }
}

function talkLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parsed(args)
  if (values.version === true) return { kind: 'version' }
  if (values.help === true) return { kind: 'help', about: undefined }
  const questions = [...(values.prompt === undefined ? [] : [values.prompt]), ...positionals]
  if (questions.length > 1)
    throw new UsageError('Only one question can be asked. Put all of it into one pair of quotes')
  const [question] = questions
  if (question?.trim() === '') throw new UsageError('The question is empty. mainstem -p "QUESTION" asks one')
  const { home, json, model, raw: isRaw = false, file: files = [] } = values
  if (files.length > 0 && question === undefined)
    throw new UsageError('--file goes with a question: mainstem -p "QUESTION" --file PATH')
  const form = json === true ? 'json' : 'text'
  const talk = { question, model, flags: flagsOf(values), form, isSure: values.yes === true, files } as const
  const times = { waitMs: timeOf('wait', values.wait), timeoutMs: timeOf('timeout', values.timeout) }
  return { kind: 'talk', talk: { ...talk, ...times }, home, isRaw }
}

export function flagsOf({ model, set = [] }: { model?: string; set?: string[] }): Record<string, string> {
  const flags = set.map((text): [string, string] => {
    const equals = text.indexOf('=')
    if (equals < 1) throw new UsageError(`'--set ${text}' has no value: --set KEY=VALUE`)
    return [text.slice(0, equals), text.slice(equals + 1)]
  })
  return { ...Object.fromEntries(flags), ...(model === undefined ? {} : { [MODEL_FLAG]: model }) }
}

const WAIT_SECONDS_MAX = 24 * 60 * 60

function timeOf(option: 'wait' | 'timeout', text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const seconds = text.trim() === '' ? Number.NaN : Number(text)
  if (seconds >= 0 && seconds <= WAIT_SECONDS_MAX) return seconds * 1000
  throw new UsageError(`'--${option} ${text}' is not a time: give seconds, from 0 to ${WAIT_SECONDS_MAX}`)
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: talkOptions, allowPositionals: true, strict: true })
  } catch (error) {
    const help = "'mainstem help' lists the options"
    throw optionError(error as Error, talkOptions, { where: 'There is', help })
  }
}
