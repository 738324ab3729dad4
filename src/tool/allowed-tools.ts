import type { Value } from '../base/front-matter.ts'
import { oneLine, shorten } from '../base/width.ts'

/** Names of other programs' tools, and what they are here. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['multiedit', 'edit'],
  ['ls', 'glob'],
  ['webfetch', 'web_fetch'],
  ['websearch', 'web_search'],
  ['discord_embed', 'send_embed'],
  ['skill', 'read_skill'],
  ['todoread', 'todo(list*)'],
  ['todowrite', 'todo'],
  // Job files may still name the five to-do tools that `todo` replaced.
  ...['add', 'list', 'done', 'update', 'delete'].map(
    (action) => [`todo_${action}`, `todo(${action}*)`] as const,
  ),
])

const SHELLS: ReadonlySet<string> = new Set(['bash', 'shell', 'bashoutput', 'killbash', 'killshell'])

/** A `*` is for the tools of an MCP server: `mcp__calendar__*`. */
const NAME = /^[\w.:*-]{1,200}$/
// What stands here is told to models as words of the host: a pattern with lines of its own could speak as the host.
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u{202A}-\u{202E}\u{2066}-\u{2069}]/u
const GLOB_CHARS_MAX = 200
const TOOLS_MAX = 100
const SHOWN_COLUMNS = 80

/** The value of `allowed-tools`, in our names. A name nobody knows stays: a skill or an MCP server may bring it. */
export function readAllowedTools(value: Value) {
  /** `tool`, or `tool(GLOB)` for some calls of it. */
  const tools = new Set<string>()
  const shells: string[] = []
  const left: string[] = []
  for (const entry of entriesOf(value)) {
    const [, word = entry, glob = ''] = /^([^(]*)\((.*)\)$/s.exec(entry) ?? []
    const name = word.trim().toLowerCase()
    const problem = NAME.test(name)
      ? globProblem(glob.trim())
      : 'which is not the name of a tool and was left out.'
    if (SHELLS.has(name)) shells.push(shown(entry))
    else if (problem !== undefined) left.push(`allowed-tools has '${shown(entry)}', ${problem}`)
    else tools.add(withGlob(ALIASES.get(name) ?? name, glob.trim()))
  }
  if (tools.size > TOOLS_MAX)
    left.push(
      `allowed-tools has ${tools.size} entries; the first ${TOOLS_MAX} count, and the others were left out.`,
    )
  return { tools: [...tools].slice(0, TOOLS_MAX), warnings: [...noShell(shells), ...left] }
}

function globProblem(glob: string): string | undefined {
  if (UNPRINTABLE.test(glob))
    return 'with a line break or a control character in its brackets, and was left out.'
  if (glob.length <= GLOB_CHARS_MAX) return undefined
  return `with more than ${GLOB_CHARS_MAX} characters in its brackets, and was left out.`
}

function shown(entry: string): string {
  return shorten(oneLine(entry), SHOWN_COLUMNS)
}

/** Commas separate, in a text also blanks, and neither does inside of brackets. */
function entriesOf(value: Value): string[] {
  // A list written as [Bash(git log, git show)] comes in pieces, which belong together.
  const text = typeof value === 'string' ? value : Array.isArray(value) ? value.join(',') : ''
  const separator = typeof value === 'string' ? /[\s,]/ : /[,\n]/
  const entries: string[] = []
  let [entry, depth] = ['', 0]
  for (const character of text) {
    if (character === '(') depth++
    if (character === ')') depth = Math.max(0, depth - 1)
    if (depth > 0 || !separator.test(character)) {
      entry += character
      continue
    }
    entries.push(entry)
    entry = ''
  }
  return [...entries, entry].map((each) => each.trim()).filter((each) => each !== '')
}

/** In the form in which calls are judged: a path without `./`, an address instead of a domain. */
function withGlob(tool: string, glob: string): string {
  if (glob === '' || tool.endsWith(')')) return tool
  const domain = tool === 'web_fetch' ? /^domain:(.+)$/.exec(glob)?.[1] : undefined
  return `${tool}(${domain === undefined ? glob.replace(/^\.\//, '') : `https://${domain}/*`})`
}

function noShell(entries: readonly string[]): string[] {
  if (entries.length === 0) return []
  return [
    `allowed-tools names ${entries.join(', ')}, but Mainstem runs no shell. What the skill has to run can be declared as tools in a tools.json beside SKILL.md.`,
  ]
}
