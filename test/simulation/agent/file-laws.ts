import type { Event, EventOf } from '../../../src/event/event.ts'
import { hold } from '../witness.ts'
import type { Approval, ApprovalLaws } from './approval-laws.ts'
import type { CallLaws } from './call-laws.ts'

interface Written {
  readonly path: string
  /** What may have been the reason: `approval 3`, `/remember fact 7`. */
  readonly causes: readonly string[]
}

/** SAFE4: files that say what the agent is change by a person's word alone, and what was approved stands there. */
export class FileLaws {
  /** All that people ever typed. */
  typed: () => readonly string[] = () => []
  readonly #approvals: ApprovalLaws
  readonly #calls: CallLaws
  readonly #files = new Map<string, string[]>()
  readonly #contents = new Map<string, string>()
  /** Written by this process, and not yet in the log. */
  #owed: Written[] = []

  constructor(approvals: ApprovalLaws, calls: CallLaws) {
    this.#approvals = approvals
    this.#calls = calls
  }

  take(event: Event): void {
    if (event.kind === 'content-kept') this.#contents.set(event.hash, event.text)
    if (event.kind === 'approval-decided') this.#decide(event)
    if (event.kind === 'command-run' && event.line.startsWith('/remember ')) this.#remember(event)
  }

  /** A process writes this now. */
  writes(path: string, text: string): void {
    const texts = this.#files.get(path) ?? []
    this.#files.set(path, [...texts, text])
    if (!isProtected(path))
      return hold(this.#calls.mayWrite(path, text), `[TOOL1] no call that runs writes ${path}`)
    const before = texts.at(-1)
    const causes = this.#causes({ path, before, text })
    hold(causes.length > 0, `[SAFE4] nobody wanted ${path} to be ${JSON.stringify(text)}`)
    this.#owed.push({ path, causes })
  }

  /** A process is gone. One that dies may leave a file behind that the log does not know of. */
  ended(how: 'died' | 'closed'): void {
    const [left] = how === 'closed' ? this.#owed : []
    hold(
      left === undefined,
      `[SAFE4] ${left?.path} was changed by ${left?.causes.join()}, and nothing says so`,
    )
    this.#owed = []
  }

  #causes({ path, before, text }: { path: string; before: string | undefined; text: string }): string[] {
    const approvals = this.#approvals.open.filter(({ asked: { number, wish } }) => {
      if (wish.kind === 'file') {
        const old = wish.before === null ? undefined : this.#contents.get(wish.before)
        return wish.path === path && old === before && this.#contents.get(wish.after) === text
      }
      if (wish.kind !== 'memory' || path !== MEMORY) return false
      const lines = [wish.line, ...this.#wordsFor(number)]
      return lines.some((line) => isAdded({ before, text, line, replaces: wish.replaces }))
    })
    const typed = this.typed()
    const approved = approvals.filter(({ asked: { number } }) =>
      typed.some((words) => isApproving(words, number)),
    )
    const remembered = typed.flatMap((words) => rememberedIn(words))
    return [
      ...approved.map(({ asked }) => `approval ${asked.number}`),
      ...remembered
        .filter((line) => path === MEMORY && isAdded({ before, text, line, replaces: null }))
        .map((line) => `/remember ${line}`),
    ]
  }

  #wordsFor(number: number): string[] {
    const start = `/approve ${number} `
    const lines = this.typed().flatMap((words) => words.split('\n'))
    return lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length))
  }

  #decide({ number, verdict, instead }: EventOf<'approval-decided'>): void {
    const approval = this.#approvals.all[number - 1] as Approval
    const { wish } = approval.asked
    if (wish.kind === 'call') return
    const isDone = this.#settle(`approval ${number}`, verdict === 'approved')
    if (verdict !== 'approved' || isDone) return
    const path = wish.kind === 'file' ? wish.path : MEMORY
    const there = this.#files.get(path) ?? []
    const isThere =
      wish.kind === 'file'
        ? there.includes(this.#contents.get(wish.after) ?? '')
        : there.some((text) => text.split('\n').includes(`- ${instead ?? wish.line}`))
    hold(isThere, `approval ${number} is approved, and ${path} does not have it`)
  }

  #remember({ line, isError, position }: EventOf<'command-run'>): void {
    const isDone = this.#settle(line, !isError)
    const isThere = this.#files.get(MEMORY)?.some((text) => text.includes(line.slice('/remember '.length)))
    hold(isError || isDone || isThere === true, `'${line}' was done at ${position}, and ${MEMORY} has it not`)
  }

  /** Whether this process wrote a file for it, which the log now tells of, or denies. */
  #settle(cause: string, isSo: boolean): boolean {
    const written = this.#owed.findIndex(({ causes }) => causes.includes(cause))
    if (written < 0) return false
    const { path, causes } = this.#owed[written] as Written
    hold(isSo || causes.length > 1, `[SAFE4] ${path} was changed by ${cause}, and it is said that it was not`)
    this.#owed.splice(written, 1)
    return true
  }
}

const MEMORY = 'memory.md'

function isProtected(path: string): boolean {
  return path === 'AGENTS.md' || path === MEMORY || path.endsWith('SKILL.md')
}

/** The same lines, with one more of them, or with one in place of another. */
function isAdded(change: {
  before: string | undefined
  text: string
  line: string
  replaces: string | null
}): boolean {
  const { before = '# Memory\n\n', text, line, replaces } = change
  const [old, fresh] = [before, text].map((whole) => whole.split('\n').filter((row) => row !== ''))
  const added = [...(old ?? []), `- ${line}`]
  if (added.join('\n') === (fresh ?? []).join('\n')) return true
  const replaced = (old ?? []).map((row) => (row === `- ${replaces}` ? `- ${line}` : row))
  return replaces !== null && replaced.join('\n') === (fresh ?? []).join('\n')
}

function isApproving(words: string, number: number): boolean {
  return words
    .split('\n')
    .some((line) => /^\/approve(?: always)?$/.test(line) || `${line} `.startsWith(`/approve ${number} `))
}

function rememberedIn(words: string): string[] {
  return words.split('\n').flatMap((line) => /^\/remember (.+)$/.exec(line)?.[1] ?? [])
}
