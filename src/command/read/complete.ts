import { limits } from '../../base/limits.ts'
import type { Origin } from '../../event/speaker.ts'
import type { NameKind } from './arguments.ts'
import { catalogue, commandNamed, nearestCommand, usageOf, type Entry } from './catalogue.ts'
import { parseInput } from './parse.ts'
import { may, mayEver } from './rights.ts'

export interface Completion {
  /** The whole line, completed. */
  readonly line: string
  /** `/rewind [MARK]`, or the word that is added. */
  readonly label: string
  readonly help: string
}

/** A word that may be an argument, and its explanation. */
export interface Choice {
  readonly word: string
  readonly help: string
}

/** Existing names in the branch, in the order in which they are offered. */
export type Known = Readonly<Record<Exclude<NameKind, 'COMMAND'>, readonly Choice[]>>

const NAME = /^( {0,3}\/)([^\s/]*)$/
const ARGUMENT = /^( {0,3}\/([^\s/@]+)(?:@\w+)?[^\S\r\n]+)(.*)$/

/** Completions of a line, best first, the line itself if it is complete; none for a line that is not a command. */
export function complete(line: string, known: Known, origin: Origin = 'terminal'): readonly Completion[] {
  if (line.length > limits.commandBytesMax) return []
  const [, slash, begun = ''] = NAME.exec(line) ?? []
  const [, head, name = '', typed = ''] = ARGUMENT.exec(line) ?? []
  if (slash !== undefined) return names(slash, begun, origin)
  const found = head === undefined ? [] : words({ head, name, typed }, known)
  return found.filter(({ line: whole }) => isOffered(origin, whole))
}

/** What would be refused there is not offered. */
function isOffered(origin: Origin, line: string): boolean {
  const [part] = parseInput(line)
  return part?.kind !== 'command' || may(origin, part)
}

function names(slash: string, begun: string, origin: Origin): Completion[] {
  const prefix = begun.toLowerCase()
  const matches = catalogue.flatMap((entry) => {
    if (!mayEver(origin, entry.name)) return []
    const word = [entry.name, ...entry.aliases].find((name) => name.startsWith(prefix))
    return word === undefined ? [] : [nameCompletion(entry, slash, word)]
  })
  if (matches.length > 0) return matches
  const near = prefix.length > 1 ? nearestCommand(prefix) : undefined
  const entry = near === undefined ? undefined : commandNamed(near)
  return entry === undefined || near === undefined ? [] : [nameCompletion(entry, slash, near)]
}

function nameCompletion(entry: Entry, slash: string, name: string): Completion {
  const [label = ''] = usageOf({ ...entry, name })
  return { line: `${slash}${name}${entry.usage[0] === '' ? '' : ' '}`, label, help: entry.help }
}

/** `head` is everything before the word that is typed. */
function words(
  { head, name, typed }: { head: string; name: string; typed: string },
  known: Known,
): Completion[] {
  const entry = commandNamed(name)
  if (entry === undefined) return []
  const choices = choicesFor(entry, known)
  const exact = choices.filter(({ word }) => word.startsWith(typed))
  const prefix = typed.toLowerCase()
  const matches =
    exact.length > 0 ? exact : choices.filter(({ word }) => word.toLowerCase().startsWith(prefix))
  return matches.map(({ word, help }) => {
    const end = needsMore(entry, word) ? ' ' : ''
    return { line: `${head}${word}${end}`, label: word, help }
  })
}

/** `ID MESSAGE` needs more than an ID, `add TEXT` more than add, `[MARK] [-- GOAL]` no more than a mark. */
function needsMore({ usage }: Entry, word: string): boolean {
  return /^\S+ [^[]/.test(usage[0]) || usage.some((form) => form.startsWith(`${word} `))
}

function choicesFor({ offers }: Entry, known: Known): readonly Choice[] {
  return offers.flatMap((offer): readonly Choice[] => {
    if (typeof offer !== 'string') return [{ word: offer[0], help: offer[1] }]
    // `cancel ROUTINE`: the kind is the last word.
    const at = offer.lastIndexOf(' ') + 1
    const kind = offer.slice(at) as NameKind
    const names = kind === 'COMMAND' ? catalogue.map(({ name, help }) => ({ word: name, help })) : known[kind]
    return names.map(({ word, help }) => ({ word: offer.slice(0, at) + word, help }))
  })
}
