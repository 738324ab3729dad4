import { cutText, singleSpaced } from '../../base/words.ts'
import { plainLine } from '../../base/entities.ts'
import { readMarkup, type Tag } from './markup.ts'

/** RSS and Atom, read as they are found rather than as they should be. */

export interface Entry {
  readonly title: string
  readonly date: string
  readonly link: string
  readonly summary: string
}

export interface Feed {
  readonly title: string
  readonly entries: readonly Entry[]
}

const ENTRIES_MAX = 200
const TITLE_MAX = 300
const SUMMARY_MAX = 500
export function readFeed(text: string): Feed {
  const state: State = { title: '', entries: [], fields: undefined, open: undefined }
  readMarkup(text, true, {
    open: (tag) => takeOpen(state, { ...tag, name: bare(tag.name) }),
    close: (name) => takeClose(state, bare(name)),
    text(words) {
      if (state.open) state.open.text += words
    },
  })
  endEntry(state)
  return { title: state.title, entries: state.entries }
}

function bare(name: string): string {
  return name.replace(/^(?:atom|rss):/, '')
}

type Field = 'title' | 'link' | 'date' | 'summary' | 'content' | 'guid'
type Fields = Partial<Record<Field, string>>

interface State {
  title: string
  readonly entries: Entry[]
  /** Of the entry that is being read. */
  fields: Fields | undefined
  /** The element that is being read, with the text in it so far; elements within it are part of it. */
  open: { readonly name: string; depth: number; text: string } | undefined
}

const FIELD_OF: Readonly<Record<string, Field>> = {
  title: 'title',
  link: 'link',
  pubdate: 'date',
  published: 'date',
  updated: 'date',
  'dc:date': 'date',
  description: 'summary',
  summary: 'summary',
  content: 'content',
  'content:encoded': 'content',
  guid: 'guid',
  id: 'guid',
}
const ENTRY_NAMES: ReadonlySet<string> = new Set(['item', 'entry'])
/** What entries may stand in: these are gone through rather than read. */
const AROUND: ReadonlySet<string> = new Set(['rss', 'feed', 'rdf:rdf', 'channel', 'items'])

function takeOpen(state: State, { name, attributes, isEmpty }: Tag): void {
  if (ENTRY_NAMES.has(name)) {
    endEntry(state)
    state.fields = {}
    return
  }
  if (state.open) {
    // Words of two paragraphs do not become one.
    state.open.text += ' '
    if (name === state.open.name && !isEmpty) state.open.depth++
    return
  }
  if (name === 'link' && state.fields) takeLink(state.fields, attributes)
  if (!isEmpty && !AROUND.has(name)) state.open = { name, depth: 1, text: '' }
}

function takeClose(state: State, name: string): void {
  if (ENTRY_NAMES.has(name)) return endEntry(state)
  const { open } = state
  if (open?.name !== name || --open.depth > 0) return
  state.open = undefined
  const field = FIELD_OF[name]
  if (field === undefined || open.text.trim() === '') return
  if (state.fields) state.fields[field] ??= open.text
  else if (field === 'title' && state.title === '') state.title = cutText(plainLine(open.text), TITLE_MAX)
}

/** Atom has its links in attributes, and more than one of them. */
function takeLink(fields: Fields, attributes: Tag['attributes']): void {
  const rel = attributes.get('rel') ?? 'alternate'
  const href = attributes.get('href')
  if (href !== undefined && rel === 'alternate') fields.link ??= href
}

function endEntry(state: State): void {
  const { fields } = state
  state.fields = undefined
  state.open = undefined
  if (!fields || Object.keys(fields).length === 0 || state.entries.length >= ENTRIES_MAX) return
  const link = [fields.link, fields.guid].find((text) => /^\s*https?:\/\//i.test(text ?? ''))
  const entry = {
    title: cutText(plainLine(fields.title ?? ''), TITLE_MAX),
    date: cutText(singleSpaced(fields.date ?? ''), 40),
    link: singleSpaced(link ?? ''),
    summary: cutText(plainLine(fields.summary || fields.content || ''), SUMMARY_MAX),
  }
  if (Object.values(entry).some((text) => text !== '')) state.entries.push(entry)
}
