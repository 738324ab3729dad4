import type { Value } from '../base/front-matter.ts'

/** Names of other programs' tools, and what they are here. */
const ALIASES: ReadonlyMap<string, readonly string[]> = new Map([
  ['multiedit', ['edit']],
  ['ls', ['glob']],
  ['webfetch', ['web_fetch']],
  ['websearch', ['web_search']],
  ['discord_embed', ['send_embed']],
  ['skill', ['read_skill']],
  ['todoread', ['todo_list']],
  ['todowrite', ['todo_add', 'todo_list', 'todo_done', 'todo_update', 'todo_delete']],
])

const SHELLS: ReadonlySet<string> = new Set(['bash', 'shell', 'bashoutput', 'killbash', 'killshell'])

export interface AllowedTools {
  /** `tool`, or `tool(GLOB)` for some calls of it; without repetitions. */
  readonly tools: readonly string[]
  readonly warnings: readonly string[]
}

/** A `*` is for the tools of an MCP server: `mcp__calendar__*`. */
const NAME = /^[\w.:*-]+$/

/** The value of `allowed-tools`, in our names. A name nobody knows stays: a skill or an MCP server may bring it. */
export function readAllowedTools(value: Value): AllowedTools {
  const tools = new Set<string>()
  const shells: string[] = []
  const odd: string[] = []
  for (const entry of entriesOf(value)) {
    const [, word = entry, glob = ''] = /^([^(]*)\((.*)\)$/s.exec(entry) ?? []
    const name = word.trim().toLowerCase()
    if (SHELLS.has(name)) shells.push(entry)
    else if (!NAME.test(name)) odd.push(entry)
    else for (const tool of ALIASES.get(name) ?? [name]) tools.add(withGlob(tool, glob.trim()))
  }
  return { tools: [...tools], warnings: [...noShell(shells), ...noNames(odd)] }
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
  if (glob === '') return tool
  const domain = tool === 'web_fetch' ? /^domain:(.+)$/.exec(glob)?.[1] : undefined
  return `${tool}(${domain === undefined ? glob.replace(/^\.\//, '') : `https://${domain}/*`})`
}

function noShell(entries: readonly string[]): string[] {
  if (entries.length === 0) return []
  return [
    `allowed-tools names ${entries.join(', ')}, but Mainstem runs no shell. What the skill has to run can be declared as tools in a tools.json beside SKILL.md.`,
  ]
}

function noNames(entries: readonly string[]): string[] {
  return entries.map((entry) => `allowed-tools has '${entry}', which is no name of a tool and was left out.`)
}
