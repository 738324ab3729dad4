import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Event, EventOf } from '../../../src/event/event.ts'
import { hold } from '../witness.ts'

/** SAFE4: every line that a process leaves in the files that say what the agent is was wanted by a person. */
export class LeftFiles {
  readonly #folder: string
  /** AGENTS.md at the first look. */
  #first: { readonly text: string | undefined } | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  check(events: readonly Event[], typed: readonly string[]): void {
    const asked = events.filter((event) => event.kind === 'approval-asked').map(({ wish }) => wish)
    const contents = new Map(
      events.flatMap((event) => (event.kind === 'content-kept' ? [[event.hash, event.text] as const] : [])),
    )
    const proposed = (path: string): string[] =>
      asked.flatMap((wish) =>
        wish.kind === 'file' && wish.path === path ? (contents.get(wish.after) ?? []) : [],
      )
    const mayApprove = typed.some((words) => words.includes('/approve'))
    const rules = this.#read('AGENTS.md')
    this.#first ??= { text: rules?.startsWith('Rule ') === true ? undefined : rules }
    const isWanted = rules === this.#first.text || (mayApprove && proposed('AGENTS.md').includes(rules ?? ''))
    hold(isWanted, `[SAFE4] nobody wanted AGENTS.md to be ${JSON.stringify(rules)}`)
    const lines = asked.flatMap((wish) => (wish.kind === 'memory' ? wish.line : []))
    const sources = [...typed, ...(mayApprove ? [...lines, ...proposed('memory.md')] : [])].join('\n')
    const memory = (this.#read('memory.md') ?? '').split('\n').filter((line) => line.startsWith('- '))
    const strange = memory.find((line) => !sources.includes(line.slice(2)))
    hold(strange === undefined, `[SAFE4] nobody wanted '${strange}' to be remembered`)
    this.#checkKept(events, memory)
  }

  /** Approved lines are there, unless something replaced them. */
  #checkKept(events: readonly Event[], memory: readonly string[]): void {
    const asked = events.filter((event) => event.kind === 'approval-asked')
    const isStable = asked.every(
      ({ wish }) => wish.kind !== 'file' && !(wish.kind === 'memory' && wish.replaces),
    )
    if (!isStable) return
    for (const { number, instead } of approvedIn(events)) {
      const wish = asked[number - 1]?.wish
      const line = instead ?? (wish?.kind === 'memory' ? wish.line : '')
      hold(memory.includes(`- ${line}`), `approval ${number} is approved, and '${line}' is not remembered`)
    }
  }

  #read(path: string): string | undefined {
    try {
      return readFileSync(join(this.#folder, path), 'utf8')
    } catch {
      return undefined
    }
  }
}

function approvedIn(events: readonly Event[]): EventOf<'approval-decided'>[] {
  return events
    .filter((event) => event.kind === 'approval-decided')
    .filter(({ verdict }) => verdict === 'approved')
}
