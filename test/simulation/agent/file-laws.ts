import type { Event, EventOf } from '../../../src/event/event.ts'
import { hold } from '../witness.ts'
import type { Approval, ApprovalLaws } from './approval-laws.ts'
import type { CallLaws } from './call-laws.ts'
import { isProtected, MEMORY } from './sim-tools.ts'

interface Written {
  readonly path: string
  /** Possible reasons: `approval 3`, `/remember fact 7`. */
  readonly causes: readonly string[]
}

/** SAFE4: files that say what the agent is only change by a person's word, and approved changes are there. */
export class FileLaws {
  /** Everything that people ever typed. */
  typed: () => readonly string[] = () => []
  /** The disk was full, so not everything could be logged. */
  wasFull = false
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
    if (event.kind === 'proposal-done') this.#done(event)
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

  /** A process ended. One that dies may leave behind changes that the log does not know of yet. */
  ended(how: 'died' | 'closed'): void {
    const [left] = how === 'closed' && !this.wasFull ? this.#owed : []
    hold(
      left === undefined,
      `[SAFE4] ${left?.path} was changed by ${left?.causes.join()}, and nothing says so`,
    )
    const [undone] = how === 'closed' && !this.wasFull ? this.#approvals.undone : []
    hold(undone === undefined, `approval ${undone?.asked.number} is approved, and was never carried out`)
    this.#owed = []
    this.wasFull = false
  }

  /** The person's approvals in the log, or their own commands. */
  #causes({ path, before, text }: { path: string; before: string | undefined; text: string }): string[] {
    const approved = this.#approvals.undone.filter(({ asked: { wish }, decided }) => {
      if (wish.kind === 'file') {
        const old = wish.before === null ? undefined : this.#contents.get(wish.before)
        return wish.path === path && old === before && this.#contents.get(wish.after) === text
      }
      if (wish.kind !== 'memory' || path !== MEMORY) return false
      const line = decided?.instead ?? wish.line
      return isAdded({ before, text, line, replaces: wish.replaces })
    })
    const remembered = this.typed().flatMap((words) => rememberedIn(words))
    return [
      ...approved.map(({ asked }) => `approval ${asked.number}`),
      ...remembered
        .filter((line) => path === MEMORY && isAdded({ before, text, line, replaces: null }))
        .map((line) => `/remember ${line}`),
    ]
  }

  /** The approved change is there, unless the log says why not; then nothing was written for it. */
  #done({ number, problem }: EventOf<'proposal-done'>): void {
    const { asked, decided } = this.#approvals.all[number - 1] as Approval
    const { wish } = asked
    const isDone = this.#settle(`approval ${number}`, problem === null)
    if (wish.kind === 'call' || problem !== null || isDone) return
    const path = wish.kind === 'file' ? wish.path : MEMORY
    const there = this.#files.get(path) ?? []
    const isThere =
      wish.kind === 'file'
        ? there.includes(this.#contents.get(wish.after) ?? '')
        : there.some((text) => text.split('\n').includes(`- ${decided?.instead ?? wish.line}`))
    hold(isThere, `approval ${number} is carried out, and ${path} does not have it`)
  }

  #remember({ line, isError, position }: EventOf<'command-run'>): void {
    const isDone = this.#settle(line, !isError)
    const isThere = this.#files.get(MEMORY)?.some((text) => text.includes(line.slice('/remember '.length)))
    hold(isError || isDone || isThere === true, `'${line}' was done at ${position}, and ${MEMORY} has it not`)
  }

  /** Whether this process wrote a file for it, which the log now confirms or denies. */
  #settle(cause: string, isSo: boolean): boolean {
    const written = this.#owed.findIndex(({ causes }) => causes.includes(cause))
    if (written < 0) return false
    const { path, causes } = this.#owed[written] as Written
    hold(isSo || causes.length > 1, `[SAFE4] ${path} was changed by ${cause}, and it is said that it was not`)
    this.#owed.splice(written, 1)
    return true
  }
}

/** The same lines with one added, or with one replaced. */
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

function rememberedIn(words: string): string[] {
  return words.split('\n').flatMap((line) => /^\/remember (.+)$/.exec(line)?.[1] ?? [])
}
