import { stripVTControlCharacters } from 'node:util'
import type { Key as Pressed } from 'ink'

/** What a person does at the keyboard, whatever bytes their terminal sends for it. */
export type Key =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'paste'; readonly text: string }
  | { readonly kind: Command }

export type Command =
  | NonNullable<ReturnType<typeof namedKey>>
  | (typeof CONTROL)[keyof typeof CONTROL]
  | (typeof ALT)[keyof typeof ALT]

/** A key press, as Ink reports it. */
export type KeyPress = Readonly<Partial<Pressed>>

export function keysOf(input: string, press: KeyPress): Key[] {
  if (press.eventType === 'release') return []
  const command = namedKey(press)
  if (command !== undefined) return [{ kind: command }]
  if (press.ctrl) return commandKeys(CONTROL, input)
  if (press.meta) return commandKeys(ALT, input.toLowerCase())
  return keysOfText(input)
}

/**
 * What was typed before the chat could read keys. Until then the terminal hands out an Enter as the character of Ctrl-J
 * and many keys at once, so that two messages would look like one with a line break, or like a paste.
 */
export function keysTypedAhead(text: string): Key[] {
  return stripVTControlCharacters(text)
    .split(/(\r\n?|\n)/)
    .flatMap((part) => (/^[\r\n]/.test(part) ? [{ kind: 'enter' as const }] : keysOfText(part)))
}

/** Ctrl and a letter. */
const CONTROL = {
  a: 'home',
  b: 'left',
  c: 'interrupt',
  d: 'end-of-input',
  e: 'end',
  f: 'right',
  j: 'newline',
  k: 'delete-to-end',
  l: 'redraw',
  n: 'down',
  o: 'open',
  p: 'up',
  r: 'search',
  u: 'delete-to-start',
  w: 'delete-word-left',
} as const

const ALT = { b: 'word-left', f: 'word-right', d: 'delete-word-right' } as const

function namedKey(press: KeyPress) {
  const isByWord = press.ctrl || press.meta
  if (press.return) return press.meta || press.shift || press.ctrl ? 'newline' : 'enter'
  if (press.escape) return 'escape'
  if (press.tab) return press.shift ? 'back-tab' : 'tab'
  if (press.upArrow) return 'up'
  if (press.downArrow) return 'down'
  if (press.leftArrow) return isByWord ? 'word-left' : 'left'
  if (press.rightArrow) return isByWord ? 'word-right' : 'right'
  if (press.home) return 'home'
  if (press.end) return 'end'
  if (press.backspace) return isByWord ? 'delete-word-left' : 'delete-left'
  if (press.delete) return isByWord ? 'delete-word-right' : 'delete-right'
  return undefined
}

/**
 * Several keys can arrive as one text. An Enter with more text behind it is the line break of a paste from a terminal
 * that does not bracket pastes: sending there would send a message in pieces.
 */
function keysOfText(text: string): Key[] {
  if (/\r[^\r]/.test(text)) return [{ kind: 'paste', text }]
  return (text.match(/[^\p{Cc}]+|\p{Cc}/gu) ?? []).flatMap((part): Key[] => {
    if (part === '\r') return [{ kind: 'enter' }]
    if (part === '\t') return [{ kind: 'tab' }]
    if (/^\p{Cc}$/u.test(part)) return commandKeys(CONTROL, letterOf(part))
    return [{ kind: 'text', text: part }]
  })
}

function letterOf(control: string): string {
  return String.fromCodePoint((control.codePointAt(0) ?? 0) + 0x60)
}

function commandKeys(commands: Readonly<Record<string, Command>>, letter: string): Key[] {
  const command = commands[letter]
  return command === undefined ? [] : [{ kind: command }]
}
