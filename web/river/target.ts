import { counted, fullCount } from '../ui/numbers.ts'
import { clockText, dayText } from '../ui/time.tsx'
import type { RiverBranch, RiverMessage, RiverThing } from '../../src/view/river/river.ts'

/** Something that can be pointed at. */
export type Target =
  | { readonly kind: 'branch'; readonly branch: RiverBranch }
  | { readonly kind: 'thing'; readonly thing: RiverThing }
  | { readonly kind: 'message'; readonly message: RiverMessage }
  /** What was counted: pressing it zooms in. */
  | {
      readonly kind: 'bin'
      readonly what: string
      readonly count: number
      readonly from: number
      readonly to: number
    }

export function keyOf(target: Target): string {
  switch (target.kind) {
    case 'branch':
      return `${target.branch.id} ${target.branch.from}`
    case 'thing':
      return `thing ${target.thing.position}`
    case 'message':
      return `message ${target.message.position}`
    case 'bin':
      return `bin ${target.what} ${target.from}`
  }
}

/** What a target is, in words, and where it is shown. */
export interface About {
  readonly title: string
  readonly text: string
  readonly at: number
  /** Where it opens; undefined: it zooms in. */
  readonly place?: string
  /** Where to see what the model saw. */
  readonly context?: string
}

export function aboutOf(target: Target, main: string): About {
  const nameOf = (branch: string): string => (branch === main ? 'main' : branch.slice(-HANDLE))
  switch (target.kind) {
    case 'branch': {
      const { id, from } = target.branch
      const name = branchName(target.branch)
      const title = name.charAt(0).toUpperCase() + name.slice(1)
      return { title, text: fateText(target.branch), at: from, place: `/chat/${nameOf(id)}` }
    }
    case 'thing': {
      const { branch, position, at } = target.thing
      return { ...thingWords(target.thing), at, place: `/chat/${nameOf(branch)}?at=${position}` }
    }
    case 'message': {
      const { branch, position, role, turn, text, at } = target.message
      const place = `/chat/${nameOf(branch)}?at=${position}`
      if (turn === null) return { title: SPEAKERS[role], text, at, place }
      const context = `/context/${nameOf(branch)}/${turn}`
      return { title: `${SPEAKERS[role]} · turn ${turn}`, text, at, place, context }
    }
    case 'bin': {
      const { what, count, from } = target
      return { title: `${what} × ${fullCount(count)}`, text: 'Zoom in to see each.', at: from }
    }
  }
}

/** One line for a list. */
export function lineOf(target: Target, main: string): string {
  const { title, text, at } = aboutOf(target, main)
  return [`${dayText(at)} ${clockText(at)}`, title, text].filter((part) => part !== '').join(', ')
}

const HANDLE = 6
const MODES = { main: 'main', fork: 'fork', child: 'child', background: 'run' } as const
const SPEAKERS = { user: 'You', assistant: 'Mainstem', tool: 'A tool', note: 'A note' } as const

/** `fork · ferries to Sicily` */
export function branchName({ mode, title, handle }: RiverBranch): string {
  return `${MODES[mode]} · ${title ?? handle}`
}

/** `14 messages, saved on Wed 11 Nov` */
export function fateText({ messages, end, until }: RiverBranch): string {
  const day = until === null ? '' : ` on ${dayText(until)}`
  const fates: Readonly<Record<string, string>> = {
    running: 'working now',
    idle: 'still open',
    'timed-out': `timed out${day}`,
  }
  return `${counted(messages, 'message')}, ${fates[end] ?? `${end}${day}`}`
}

function thingWords(thing: RiverThing): Pick<About, 'title' | 'text'> {
  const { kind, text, since, isUndone, messages = 0 } = thing
  const lost = counted(messages, 'message')
  switch (kind) {
    case 'mark':
      return { title: `Mark ${text}`, text: '' }
    case 'compaction':
      return { title: `${lost} summarized`, text: 'The summary stands in their place. The log keeps them.' }
    case 'cut': {
      const title = since === undefined ? 'Context cleared' : `Rewound to ${text}`
      return { title: isUndone ? `${title}, then undone` : title, text: `${lost} left the context.` }
    }
    case 'mail':
      return { title: 'Mail', text }
    case 'update':
      return { title: 'Update for main', text }
    case 'ping':
      return { title: 'Pinged you', text }
  }
}
