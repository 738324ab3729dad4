import { findBranch, type Branch } from '../../src/context/branch.ts'
import { coversOf, summaryAt } from '../../src/context/list.ts'
import { countMessages, headOf, messagesIn, rangeOf } from '../../src/context/message-index.ts'
import { messageOf } from '../../src/context/step.ts'
import { changeToUndo, listOf, marksOf } from '../../src/context/version.ts'
import type { Event } from '../../src/event/event.ts'
import type { Position } from '../../src/event/id.ts'
import { isSummary, type Item } from '../../src/event/item.ts'
import type { Reader } from '../../src/event/table.ts'
import { bare, type Content } from './entry.ts'
import { checkLaws } from './laws.ts'
import { marksIn, type NaiveBranch } from './naive.ts'
import { Standings } from './standing.ts'
import { Disagreement, identity, type Trial } from './trial.ts'

/** Compares every branch with its naive twin and checks the laws on it. Caches events, which never change. */
export class Comparison {
  readonly #events = new Map<number, Event>()
  readonly #trees = new Map<string, number>()
  readonly #known = new Set<string>()
  readonly #standings = new Standings()

  compare(trial: Trial, reader: Reader): void {
    const remembering = this.#remembering(reader)
    for (const twin of trial.naive.branches) this.#compareBranch(remembering, trial, twin)
  }

  /** After a commit that never happened, other events take its positions. */
  forget(): void {
    this.#events.clear()
    this.#trees.clear()
    this.#known.clear()
    this.#standings.forget()
  }

  #compareBranch(reader: Reader, trial: Trial, twin: NaiveBranch): void {
    const branch = findBranch(reader, trial.id(twin.number))
    if (branch === undefined) throw new Disagreement(`branch ${twin.number} is not in the log`)
    const list = listOf(reader, branch)
    const where = `branch ${twin.number}`
    same(this.#treeOf(reader, list), this.#treeOfNaive(bare(twin.entries)), `${where}, what it shows`)
    same(
      marksOf(reader, branch).map(({ name }) => name),
      marksIn(twin.entries),
      `${where}, marks`,
    )
    same(stateOf(reader, branch, list), stateOfNaive(twin), `${where}, state`)
    checkLaws(reader, { trial, twin, branch, list, known: this.#known })
    this.#standings.check(reader, branch, list)
  }

  /** Shown messages by name; a summary gets a number that stands for everything it covers, at any depth. */
  #treeOf(reader: Reader, list: readonly Item[]): readonly string[] {
    return list.flatMap((item): readonly string[] => {
      if (!isSummary(item)) {
        return messagesIn(reader, item).map(({ position }) => identity(messageOf(reader.event(position))))
      }
      const { text } = summaryAt(reader, item)
      return [this.#named(text, this.#treeOf(reader, coversOf(reader, item)))]
    })
  }

  #treeOfNaive(entries: readonly Content[]): readonly string[] {
    return entries.map((entry) => {
      if (entry.kind === 'said') return entry.message.id
      return this.#named(entry.id, this.#treeOfNaive(entry.covers as readonly Content[]))
    })
  }

  #named(text: string, covers: readonly string[]): string {
    const key = `${text}(${covers.join(' ')})`
    if (!this.#trees.has(key)) this.#trees.set(key, this.#trees.size)
    return `${text}#${this.#trees.get(key)}`
  }

  #remembering(reader: Reader): Reader {
    return {
      end: reader.end,
      event: (position: Position) => {
        const known = this.#events.get(position) ?? reader.event(position)
        this.#events.set(position, known)
        return known
      },
      row: (table, key) => reader.row(table, key),
      rows: (table, stretch) => reader.rows(table, stretch),
    }
  }
}

const kindsOfChange = {
  'context-cleared': 'clear',
  'context-compacted': 'compact',
  'context-expanded': 'expand',
  'context-saved': 'save',
} as const

function stateOf(reader: Reader, branch: Branch, list: readonly Item[]): readonly string[] {
  const change = changeToUndo(reader, branch)
  return [
    branch.state.kind,
    `undo ${change === undefined ? 'nothing' : kindsOfChange[change.kind]}`,
    `redo ${branch.redo.length}`,
    `expand ${list.some(isSummary)}`,
    `held ${messagesHeld(reader, branch)}`,
  ]
}

/** Messages of complete steps since the window was told to leave the list alone. */
function messagesHeld(reader: Reader, { id, heldSince }: Branch): number | null {
  if (heldSince === null) return null
  const range = rangeOf(reader, id, { from: heldSince, to: headOf(reader, id) ?? 0 })
  return range === undefined ? 0 : countMessages(reader, range)
}

function stateOfNaive(twin: NaiveBranch): readonly string[] {
  const change = twin.journal.findLast((act) => act.kind === 'change')
  return [
    twin.ended ? 'ended' : twin.turn === null ? 'idle' : 'running',
    `undo ${change?.kind === 'change' ? change.what : 'nothing'}`,
    `redo ${twin.redo.length}`,
    `expand ${twin.entries.some((entry) => entry.kind === 'summed')}`,
    `held ${twin.held}`,
  ]
}

function same(real: readonly string[], naive: readonly string[], what: string): void {
  if (real.length === naive.length && real.every((name, index) => name === naive[index])) return
  throw new Disagreement(
    `${what}:\n  the code says        ${real.join(' ')}\n  the naive model says ${naive.join(' ')}`,
  )
}
