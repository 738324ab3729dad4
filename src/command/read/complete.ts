import { catalogue, commandNamed, nearestCommand, usageOf, type Entry } from './catalogue.ts'

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
export interface Known {
  readonly marks: readonly Choice[]
  readonly branches: readonly Choice[]
  readonly tools: readonly Choice[]
  /** Allowed patterns. */
  readonly grants: readonly Choice[]
  /** The numbers of pings and notices. */
  readonly numbers: readonly Choice[]
}

const NAME = /^( {0,3}\/)([^\s/]*)$/
const ARGUMENT = /^( {0,3}\/([^\s/@]+)(?:@\w+)?[^\S\r\n]+)(\S*)$/

/** Completions of a line, best first, the line itself if it is complete; none for a line that is not a command. */
export function complete(line: string, known: Known): readonly Completion[] {
  const [, slash, begun = ''] = NAME.exec(line) ?? []
  const [, head, name = '', typed = ''] = ARGUMENT.exec(line) ?? []
  if (slash !== undefined) return names(slash, begun)
  return head === undefined ? [] : words({ head, name, typed }, known)
}

function names(slash: string, begun: string): Completion[] {
  const prefix = begun.toLowerCase()
  const matches = catalogue.flatMap((entry) => {
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

interface Typing {
  /** Everything before the word. */
  readonly head: string
  readonly name: string
  readonly typed: string
}

function words({ head, name, typed }: Typing, known: Known): Completion[] {
  const entry = commandNamed(name)
  if (entry === undefined) return []
  const choices = choicesFor(entry, known)
  const exact = choices.filter(({ word }) => word.startsWith(typed))
  const prefix = typed.toLowerCase()
  const matches =
    exact.length > 0 ? exact : choices.filter(({ word }) => word.toLowerCase().startsWith(prefix))
  const end = needsMore(entry) ? ' ' : ''
  return matches.map(({ word, help }) => ({ line: `${head}${word}${end}`, label: word, help }))
}

/** `ID MESSAGE` needs more than an ID, `[MARK] [-- GOAL]` no more than a mark. */
function needsMore({ usage }: Entry): boolean {
  return /^\S+ [^[]/.test(usage[0])
}

function choicesFor(
  { offers, help }: Entry,
  { marks, branches, tools, grants, numbers }: Known,
): readonly Choice[] {
  return offers.flatMap((offer) => {
    if (offer === 'MARK') return marks
    if (offer === 'ID') return branches
    if (offer === 'TOOL') return tools
    if (offer === 'GRANT') return grants
    if (offer === 'NUMBER') return numbers
    if (offer === 'COMMAND') return catalogue.map(({ name, help }) => ({ word: name, help }))
    return [{ word: offer, help }]
  })
}
