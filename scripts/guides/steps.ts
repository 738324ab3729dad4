/** What the recorder does for one thing in a guide, in the order of the page. */
export type Step =
  /** Hidden in a comment: commands that prepare the next block. */
  | { readonly kind: 'setup'; readonly script: string }
  /** Hidden in a comment: the steps of a scripted model, which answers from here on. Empty: offline again. */
  | { readonly kind: 'model'; readonly json: string }
  /** Hidden in a comment: time passes while nothing runs. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** A block that shows a file: it is written where its info string says. */
  | { readonly kind: 'file'; readonly path: string; readonly text: string }
  /** `until`: the last command runs on, and is stopped once it has said this. */
  | (Block & { readonly kind: 'console'; readonly commands: readonly string[]; readonly until?: string })
  | (Block & { readonly kind: 'chat'; readonly acts: readonly Act[]; readonly begins: 'with-act' | 'before' })
  /** The input box, with these keys typed into it. */
  | (Block & { readonly kind: 'screen'; readonly keys: string })

/** The text between two fences: lines `from` to `to` of the page, without `to`. */
export interface Block {
  readonly from: number
  readonly to: number
}

/** In a chat: a line that is typed, or time that passes. */
export type Act =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'wait'; readonly line: string; readonly ms: number }

export interface Page {
  readonly steps: readonly Step[]
  /** Blocks with commands that are not run, and why. */
  readonly notRun: readonly { readonly line: number; readonly because: string }[]
}

/** Reads a Markdown page. Throws where a block shows commands and is neither run nor marked as not run. */
export function readPage(markdown: string): Page {
  const lines = markdown.split('\n')
  const steps: Step[] = []
  const notRun: { line: number; because: string }[] = []
  let because: string | undefined
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const [, directive, rest = ''] = /^<!-- guides: (setup|model|wait|not run:)(.*)$/.exec(line) ?? []
    if (directive !== undefined) {
      const end = indexFrom(lines, at, (one) => one.endsWith('-->'))
      const text = [rest, ...lines.slice(at + 1, end + 1)].join('\n').replace(/-->$/, '').trim()
      if (directive === 'setup') steps.push({ kind: 'setup', script: text })
      else if (directive === 'model') steps.push({ kind: 'model', json: text })
      else if (directive === 'wait') steps.push({ kind: 'wait', ms: spanIn(text) ?? 0 })
      else because = text
      at = end
      continue
    }
    const [, language = '', info = ''] = /^```(\S*)\s*(.*)$/.exec(line) ?? []
    if (!line.startsWith('```')) {
      if (line.trim() !== '') because = undefined
      continue
    }
    const block = { from: at + 1, to: indexFrom(lines, at + 1, (one) => one === '```') }
    const content = lines.slice(block.from, block.to)
    if (because !== undefined) notRun.push({ line: at + 1, because })
    else steps.push(...stepsOf({ language, info, block, content }))
    because = undefined
    at = block.to
  }
  return { steps, notRun }
}

/** Shown for their form, not as something to run. */
const SAMPLES = new Set(['json', 'jsonc', 'md', 'markdown', 'ts', 'mermaid'])

interface Fenced {
  readonly language: string
  readonly info: string
  readonly block: Block
  readonly content: readonly string[]
}

function stepsOf({ language, info, block, content }: Fenced): Step[] {
  const [, path] = /^file=(\S+)$/.exec(info) ?? []
  if (path !== undefined) return [{ kind: 'file', path, text: `${content.join('\n')}\n` }]
  if (language === 'console') {
    const until = /^until=(.+)$/.exec(info)?.[1]
    const step = { ...block, kind: 'console', commands: commandsIn(content) } as const
    return [until === undefined ? step : { ...step, until }]
  }
  if (language === 'chat') return [chatStep(block, content)]
  if (language === 'screen') return [{ ...block, kind: 'screen', keys: info }]
  if (SAMPLES.has(language)) return []
  throw new Error(
    `line ${block.from}: a block '${language}' is not recorded. Make it console, chat or screen, ` +
      'or put <!-- guides: not run: WHY --> above it.',
  )
}

/** A block that begins with something else than an act shows what came before it, such as the notices of a first start. */
function chatStep(block: Block, content: readonly string[]): Step {
  const begins = /^(?:› |\(.* later\)$)/.test(content[0] ?? '') ? 'with-act' : 'before'
  return { ...block, kind: 'chat', acts: actsIn(content), begins }
}

/** `$ command`, with the lines of a here-document that it opens. */
function commandsIn(content: readonly string[]): string[] {
  const commands: string[] = []
  for (let at = 0; at < content.length; at++) {
    const line = content[at] ?? ''
    if (!line.startsWith('$ ')) continue
    const [, word] = /<<'?(\w+)'?/.exec(line) ?? []
    const end = word === undefined ? at : indexFrom(content, at, (one) => one === word)
    commands.push([line.slice(2), ...content.slice(at + 1, end + 1)].join('\n'))
    at = end
  }
  return commands
}

/** `a minute`, `2 hours` */
function spanIn(text: string): number | undefined {
  const [, count = '', unit] = /^(\d+|an?) (second|minute|hour|day)s?$/.exec(text) ?? []
  return unit === undefined ? undefined : (Number(count) || 1) * UNITS[unit as keyof typeof UNITS]
}

const UNITS = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const

/** `› typed`, which may go on in lines that are indented; `(2 minutes later)`. */
function actsIn(content: readonly string[]): Act[] {
  return content.flatMap((line, at): Act[] => {
    const [, span] = /^\((.*) later\)$/.exec(line) ?? []
    const ms = span === undefined ? undefined : spanIn(span)
    if (ms !== undefined) return [{ kind: 'wait', line, ms }]
    if (!line.startsWith('› ')) return []
    const end = content.findIndex((one, index) => index > at && !one.startsWith('  '))
    const more = content.slice(at + 1, end === -1 ? content.length : end)
    return [{ kind: 'say', text: [line.slice(2), ...more.map((one) => one.trim())].join(' ') }]
  })
}

function indexFrom(lines: readonly string[], from: number, holds: (line: string) => boolean): number {
  const index = lines.findIndex((line, at) => at >= from && holds(line))
  if (index === -1) throw new Error(`line ${from}: this has no end`)
  return index
}
