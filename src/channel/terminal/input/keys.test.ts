import { expect, test } from 'vitest'
import { type Key, type KeyPress, keysOf, keysTypedAhead } from './keys.ts'

const kinds = (input: string, press: KeyPress = {}): string[] => named(keysOf(input, press))
const named = (keys: readonly Key[]): string[] =>
  keys.map((key) => ('text' in key ? `${key.kind} ${key.text}` : key.kind))

test.each<[string, string, string, KeyPress?]>([
  ['Enter', 'enter', '', { return: true }],
  ['Alt-Enter', 'newline', '', { return: true, meta: true }],
  ['Shift-Enter', 'newline', '', { return: true, shift: true }],
  ['Ctrl-J', 'newline', '\n'],
  ['Alt-Ctrl-J', 'newline', 'j', { ctrl: true, meta: true }],
  ['Ctrl-A', 'home', 'a', { ctrl: true }],
  ['Ctrl-E', 'end', 'e', { ctrl: true }],
  ['Ctrl-U', 'delete-to-start', 'u', { ctrl: true }],
  ['Ctrl-K', 'delete-to-end', 'k', { ctrl: true }],
  ['Ctrl-W', 'delete-word-left', 'w', { ctrl: true }],
  ['Ctrl-C', 'interrupt', 'c', { ctrl: true }],
  ['Ctrl-R', 'search', 'r', { ctrl: true }],
  ['Ctrl-O', 'open', 'o', { ctrl: true }],
  ['Ctrl-D', 'end-of-input', 'd', { ctrl: true }],
  ['Ctrl-L', 'redraw', 'l', { ctrl: true }],
  ['Alt-B', 'word-left', 'b', { meta: true }],
  ['Alt-F', 'word-right', 'F', { meta: true }],
  ['Ctrl-Left', 'word-left', '', { leftArrow: true, ctrl: true }],
  ['Alt-Right', 'word-right', '', { rightArrow: true, meta: true }],
  ['Backspace', 'delete-left', '', { backspace: true }],
  ['Alt-Backspace', 'delete-word-left', '', { backspace: true, meta: true }],
  ['Delete', 'delete-right', '', { delete: true }],
  ['Shift-Tab', 'back-tab', '', { tab: true, shift: true }],
])('%s is %s', (_, kind, ...pressed) => expect(kinds(...pressed)).toEqual([kind]))

test.each([
  ['letters', 'héllo 电车', ['text héllo 电车']],
  ['a word and Enter at once', 'hi\r', ['text hi', 'enter']],
  ['Ctrl-A and a word at once', '\u0001hi', ['home', 'text hi']],
  ['a command and Tab at once', '/re\t', ['text /re', 'tab']],
  ['what no key stands for', '\u0000\u001C', []],
])('%s', (_, input, expected) => expect(kinds(input)).toEqual(expected))

test('an Enter with text behind it belongs to a paste, and sends nothing', () =>
  expect(kinds('one\rtwo\r')).toEqual(['paste one\rtwo\r']))

test('letting go of a key is no key', () =>
  expect(kinds('', { return: true, eventType: 'release' })).toEqual([]))

test('Alt and Ctrl with other letters write nothing', () => {
  expect(kinds('x', { meta: true })).toEqual([])
  expect(kinds('x', { ctrl: true })).toEqual([])
})

test.each([
  ['by the line, as a terminal reads before the chat does', 'one\ntwo\nth'],
  ['key by key', 'one\rtwo\rth'],
])('what was typed ahead %s has an Enter wherever one was pressed', (_, text) =>
  expect(named(keysTypedAhead(text))).toEqual(['text one', 'enter', 'text two', 'enter', 'text th']),
)

test('keys typed ahead that write nothing leave no text', () =>
  expect(named(keysTypedAhead('a\u001B[Ab'))).toEqual(['text ab']))
