import { counted, fullCount } from '../ui/numbers.ts'
import { clockText, dayText } from '../ui/time.tsx'
import { fateText } from './draw-branches.ts'
import type { Target } from './frame.ts'
import type { RiverBranch, RiverMessage, RiverThing } from '../../src/view/river/river.ts'

/** What a target is, in words: for the card, and for people who listen. */
export interface Words {
  readonly title: string
  readonly text: string
  readonly at: number
}

export function wordsOf(target: Target): Words {
  switch (target.kind) {
    case 'branch':
      return wordsOfBranch(target.branch)
    case 'thing':
      return wordsOfThing(target.thing)
    case 'message':
      return wordsOfMessage(target.message)
    case 'bin':
      return {
        title: `${target.what} × ${fullCount(target.count)}`,
        text: 'Zoom in to see each.',
        at: target.from,
      }
  }
}

const KINDS = { main: 'Main', fork: 'Fork', child: 'Child', background: 'Run' } as const

function wordsOfBranch(branch: RiverBranch): Words {
  const { mode, title, handle, from } = branch
  return { title: `${KINDS[mode]} · ${title ?? handle}`, text: fateText(branch), at: from }
}

function wordsOfThing(thing: RiverThing): Words {
  const { at, text, messages = 0 } = thing
  const lost = counted(messages, 'message')
  switch (thing.kind) {
    case 'mark':
      return { title: `Mark ${text}`, text: '', at }
    case 'compaction':
      return {
        title: `${lost} summarized`,
        text: 'The summary stands in their place. The log keeps them.',
        at,
      }
    case 'cut': {
      const title = thing.since === undefined ? 'Context cleared' : `Rewound to ${text}`
      return {
        title: thing.isUndone ? `${title}, then undone` : title,
        text: `${lost} left the context.`,
        at,
      }
    }
    case 'mail':
      return { title: 'Mail', text, at }
    case 'update':
      return { title: 'Update for main', text, at }
    case 'ping':
      return { title: 'Pinged you', text, at }
  }
}

const SPEAKERS = { user: 'You', assistant: 'Mainstem', tool: 'A tool', note: 'A note' } as const

function wordsOfMessage({ role, turn, text, at }: RiverMessage): Words {
  const title = turn === null ? SPEAKERS[role] : `${SPEAKERS[role]} · turn ${turn}`
  return { title, text, at }
}

/** One line for a list. */
export function lineOf(target: Target): string {
  const { title, text, at } = wordsOf(target)
  return [`${dayText(at)} ${clockText(at)}`, title, text].filter((part) => part !== '').join(', ')
}

const HANDLE = 6

/** Where it opens; undefined: pointing at it zooms in. */
export function placeOf(target: Target, main: string): string | undefined {
  const chat = (branch: string, at?: number): string =>
    `/chat/${branch === main ? 'main' : branch.slice(-HANDLE)}${at === undefined ? '' : `?at=${at}`}`
  switch (target.kind) {
    case 'branch':
      return chat(target.branch.id)
    case 'thing':
      return chat(target.thing.branch, target.thing.position)
    case 'message':
      return chat(target.message.branch, target.message.position)
    case 'bin':
      return undefined
  }
}

/** Where to see what the model saw. */
export function contextPlaceOf(target: Target, main: string): string | undefined {
  if (target.kind !== 'message' || target.message.turn === null) return undefined
  const { branch, turn } = target.message
  return `/context/${branch === main ? 'main' : branch.slice(-HANDLE)}/${turn}`
}
