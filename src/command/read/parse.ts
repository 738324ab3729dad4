import { limits } from '../../base/limits.ts'
import { bytesText } from '../../base/words.ts'
import { quotable, type ArgumentReader } from './arguments.ts'
import { childArguments } from './catalogue-branches.ts'
import { commandNamed, nearestCommand, usageOf, type CommandName, type ParsedCommand } from './catalogue.ts'

/** A part of a text that was typed, in order. */
export type Part =
  | { readonly kind: 'message'; readonly text: string }
  /** Added to the context without a turn. */
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'command'; readonly command: ParsedCommand; readonly line: string }
  /** Looks like a command and is not one; `say` explains it to the person. */
  | { readonly kind: 'mistake'; readonly line: string; readonly say: string }

/** A line with four leading spaces is code; a first word with a second slash is a path. */
const OPENING = /^ {0,3}\/(?=[^\s/])/
const WORD_END = /[\s/]/
const ESCAPED = /^( {0,3})\/(?=\/\S)/
const LINE_END = /\r\n|\r|\n/

/** A text that begins with a command is read line by line. Any other text is one message, whatever its later lines are. */
export function parseInput(text: string): readonly Part[] {
  const typed = text.trimEnd()
  const start = startOfFirstLine(typed)
  const body = typed.slice(start)
  const lines = body.split(LINE_END)
  if (isCommandLine(lines[0] ?? '')) return partsOf(lines)
  return body === '' ? [] : [{ kind: 'message', text: typed.slice(0, start) + unescaped(body) }]
}

export function isCommandLine(line: string): boolean {
  return commandWord(line) !== undefined
}

/** In two steps: a single expression backtracks letter by letter and overflows the stack on a word of a megabyte. */
function commandWord(line: string): string | undefined {
  const start = OPENING.exec(line)?.[0].length
  if (start === undefined) return undefined
  const rest = line.slice(start)
  const end = rest.search(WORD_END)
  if (end < 0) return rest
  return rest[end] === '/' ? undefined : rest.slice(0, end)
}

function unescaped(line: string): string {
  return line.replace(ESCAPED, '$1')
}

/** The offset of the first line that is not blank. */
function startOfFirstLine(text: string): number {
  const blank = text.slice(0, Math.max(0, text.search(/\S/)))
  return Math.max(blank.lastIndexOf('\n'), blank.lastIndexOf('\r')) + 1
}

type Act = Extract<Part, { kind: 'command' | 'mistake' }>

function partsOf(lines: readonly string[]): readonly Part[] {
  const parts: Part[] = []
  let before: Act | undefined
  let between: string[] = []
  const endStretch = (after: Act | undefined): void => {
    const text = stretchText(between)
    if (text !== '') parts.push({ kind: isTask(before, after) ? 'note' : 'message', text })
    between = []
  }
  for (const line of lines) {
    const act = readLine(line)
    if (act === undefined) {
      between.push(unescaped(line))
      continue
    }
    endStretch(act)
    parts.push(act)
    before = act
  }
  endStretch(undefined)
  return parts
}

/** Keeps the indentation of the first line: without it, code could become a command. */
function stretchText(lines: readonly string[]): string {
  const first = lines.findIndex((line) => line.trim() !== '')
  return first < 0 ? '' : lines.slice(first).join('\n').trimEnd()
}

/** Text between `/mark M` and `/fork M` is the child's task; the parent would answer it if it were a message. */
function isTask(before: Act | undefined, after: Act | undefined): boolean {
  if (before?.kind !== 'command' || before.command.name !== 'mark') return false
  if (after?.kind !== 'command' || after.command.name !== 'fork') return false
  return before.command.mark !== null && before.command.mark === after.command.mark
}

function readLine(typed: string): Act | undefined {
  const line = typed.trim()
  const word = commandWord(typed)
  if (word === undefined) return undefined
  const bytes = Buffer.byteLength(line)
  if (bytes > limits.commandBytesMax) return { kind: 'mistake', line, say: tooLong(word, bytes) }
  const entry = commandNamed(word.replace(/@\w+$/, ''))
  if (entry === undefined) return { kind: 'mistake', line, say: unknownCommand(word) }
  const call = { name: entry.name, label: `/${entry.name}`, read: entry.read, text: argumentsIn(line) }
  const result = readCall({ ...call, usage: usageOf(entry).join(' or ') })
  return result.kind === 'command'
    ? { kind: 'command', command: result.command, line }
    : { kind: 'mistake', line, say: result.say }
}

function argumentsIn(line: string): string {
  return line.replace(/^\S+/, '').trim()
}

function tooLong(word: string, bytes: number): string {
  return `This line begins with '/${quotable(word)}' and is ${bytesText(bytes)} long. A command has at most ${COMMAND_MOST}, so nothing was done. ${asText(word)}`
}

const COMMAND_MOST = bytesText(limits.commandBytesMax)

function asText(word: string): string {
  return `To send it as text, begin with two slashes: //${quotable(word)}`
}

function unknownCommand(word: string): string {
  const near = nearestCommand(word.replace(/@.*$/, ''))
  const instead = near === undefined ? '/help lists the commands.' : `Did you mean /${near}?`
  return `Unknown command '/${quotable(word)}'. ${instead} ${asText(word)}`
}

interface Call {
  readonly name: CommandName
  /** The command's name in the sentence about a mistake. */
  readonly label: string
  readonly read: ArgumentReader<object>
  readonly text: string
  readonly usage: string
}

type Read<Command> =
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'mistake'; readonly say: string }

function readCall({ name, label, read, text, usage }: Call): Read<ParsedCommand> {
  const reading = read(text)
  if (typeof reading === 'string') return { kind: 'mistake', say: `${label} ${reading} Usage: ${usage}` }
  // The type is made from the catalogue, which has the reader of each name.
  return { kind: 'command', command: { name, ...reading } as ParsedCommand }
}

/** The commands models may use, in the order of their tool's schema. */
export const slashCommands = ['mark', 'clear', 'fork', 'send', 'check-mail', 'kill'] as const
export type SlashName = (typeof slashCommands)[number]
export type SlashCommand = Extract<ParsedCommand, { name: SlashName }>

type SlashRead = Read<SlashCommand>

/** A call of the `slash` tool. Unlike a typed line, its arguments may have several lines. */
export function parseSlash(command: string, args: string | undefined): SlashRead {
  const name = slashCommands.find((known) => known === command)
  const entry = name && commandNamed(name)
  if (name === undefined || entry === undefined) {
    const known = slashCommands.join(', ')
    return { kind: 'mistake', say: `Unknown command '${quotable(command)}'. The slash tool has: ${known}` }
  }
  const read = name === 'fork' ? childArguments : entry.read
  const bytes = Buffer.byteLength(args ?? '')
  if (bytes > limits.commandBytesMax)
    return {
      kind: 'mistake',
      say: `slash ${name} was given ${bytesText(bytes)}. A command has at most ${COMMAND_MOST}, so nothing was done.`,
    }
  const call = { name, label: `slash ${name}`, read, text: (args ?? '').trim() }
  return readCall({ ...call, usage: slashUsage(name) }) as SlashRead
}

/** `slash fork [MARK] [-- GOAL]` */
export function slashUsage(name: SlashName): string {
  return `slash ${name} ${commandNamed(name)?.usage[0] ?? ''}`.trimEnd()
}
