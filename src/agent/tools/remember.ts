import { z } from 'zod'
import { plainLine } from '../../memory/memory-file.ts'
import { defineTool, type Meant } from '../../tool/define-tool.ts'
import { builtIn, failed, ok, type Tool } from '../../tool/tool.ts'
import type { Propose } from '../right/proposing.ts'

const LINE_MAX = 300
const GIVEN_MAX = 2_000
const QUOTED_MAX = 80
const LISTED_MAX = 5

const USAGE = `Usage: remember {"line": at most ${LINE_MAX} characters, "replaces"?: a line of memory.md}.`

const text = z.string().max(GIVEN_MAX)

export interface RememberParts {
  readonly propose: Propose
  /** The lines of memory.md now. */
  readonly lines: () => Promise<readonly string[]>
}

/** Proposes a line for memory.md. The person approves it. */
export function rememberTool({ propose, lines }: RememberParts): Tool {
  return defineTool({
    name: 'remember',
    description:
      'Propose one short line for memory.md, which stands in every prompt. For lasting facts, preferences, people and standing instructions, not for passing details (`recall` finds those). The person approves it. `replaces`: the line that it corrects, word for word.',
    schema: z.strictObject({
      line: text.describe('Such as "Anna is allergic to nuts"'),
      replaces: text.describe('A line of memory.md').exactOptional(),
    }),
    usage: USAGE,
    // Not `edits`: it only proposes, which is allowed in every mode.
    nature: builtIn('steers', { says: 'host' }),
    run: async (given, call) => {
      const line = lineIn(given.line)
      if ('misfit' in line) return line.misfit
      const there = await lines()
      if (there.some((other) => keyOf(other) === keyOf(line.is)))
        return ok(`It is remembered already: ${quoted(line.is)}. Nothing was proposed.`)
      const replaces = replacedIn(there, given.replaces)
      if ('misfit' in replaces) return replaces.misfit
      const number = await propose(call, { kind: 'memory', line: line.is, replaces: replaces.is })
      return ok(`It waits for the person's approval (approval ${number}); it is not remembered yet.`)
    },
  })
}

function lineIn(given: string): Meant<string> {
  const line = given.trim().replace(/^[-*]\s+/u, '')
  if (!/[\p{L}\p{N}]/u.test(line)) return { misfit: failed(`The line is empty. ${USAGE}`) }
  if (/[\r\n\u2028\u2029]/u.test(line))
    return { misfit: failed(`A memory line is one line; propose each by itself. ${USAGE}`) }
  const plain = plainLine(line)
  if (plain === undefined || plain.length > LINE_MAX)
    return {
      misfit: failed(`The line has ${(plain ?? line).length} characters; at most ${LINE_MAX} fit. ${USAGE}`),
    }
  return { is: plain }
}

/** The line that is meant. Null: none is replaced. */
function replacedIn(there: readonly string[], given: string | undefined): Meant<string | null> {
  const sought = keyOf((given ?? '').trim().replace(/^[-*]\s+/u, ''))
  if (sought === '') return { is: null }
  const exact = there.find((line) => keyOf(line) === sought)
  if (exact !== undefined) return { is: exact }
  const begun = there.filter((line) => keyOf(line).startsWith(sought))
  const [only, ...others] = begun
  if (only !== undefined && others.length === 0) return { is: only }
  const problem =
    only === undefined
      ? `No line of memory.md begins with ${quoted(given ?? '')}. ${listed('There are', there)}`
      : `${quoted(given ?? '')} could be several lines. ${listed('They are', begun)}`
  return { misfit: failed(`${problem} ${USAGE}`) }
}

function keyOf(line: string): string {
  return (plainLine(line) ?? line).toLowerCase()
}

function listed(lead: string, lines: readonly string[]): string {
  if (lines.length === 0) return 'It has no lines yet.'
  const more = lines.length > LISTED_MAX ? `, and ${lines.length - LISTED_MAX} more` : ''
  return `${lead}: ${lines.slice(0, LISTED_MAX).map(quoted).join(', ')}${more}.`
}

function quoted(line: string): string {
  return JSON.stringify(line.length > QUOTED_MAX ? `${line.slice(0, QUOTED_MAX).toWellFormed()}…` : line)
}
