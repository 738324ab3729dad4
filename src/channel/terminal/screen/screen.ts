import { stripVTControlCharacters } from 'node:util'
import { Box, Static, Text, render, useApp, useCursor, useInput, usePaste } from 'ink'
import {
  Fragment,
  type Key,
  type ReactNode,
  createElement as h,
  useEffect,
  useSyncExternalStore,
} from 'react'
import { oneLine, shorten, widthOf } from '../../../base/width.ts'
import { ownStyle, type OwnStyle } from '../text/neutral.ts'
import type { Frame } from './frame.ts'
import { Chat, type Item, type ScreenOptions } from './chat.ts'
import { keysOf, keysTypedAhead } from '../input/keys.ts'
import type { TerminalPort } from '../port.ts'

/** The streams of a terminal, as `process` has them. */
export interface ScreenStreams {
  readonly stdin: NodeJS.ReadableStream
  readonly stdout: NodeJS.WritableStream & { readonly columns: number; readonly rows: number }
}

/** The chat in the terminal. Loads Ink: import this file only when a screen is opened. */
export function openScreen(port: TerminalPort, streams: ScreenStreams, options: ScreenOptions) {
  const { stdin, stdout } = streams
  const { style, shown } = ownStyle(options.colour)
  let isTitled = false
  const back = (): void => {
    if (isTitled) stdout.write(RESTORE_TITLE)
    isTitled = false
  }
  const chat = new Chat(port, {
    ...options,
    style,
    alert: (text) => {
      const how = options.notify?.() ?? 'off'
      if (how === 'all' && !isTitled) stdout.write(SAVE_TITLE)
      isTitled ||= how === 'all'
      stdout.write(alertBytes(text, how))
    },
    back,
    size: () => sizeOf(stdout),
    redraw: () => {
      ink.clear()
      stdout.write(CLEAR_SCREEN)
    },
  })
  stdin.setEncoding('utf8')
  const typedAhead = String(stdin.read() ?? '')
  const tree = h(Transcript, { chat, shown })
  let drawn = chat.view().frame
  const known = stdout.listeners('resize')
  const ink = render(tree, {
    stdin,
    stdout,
    exitOnCtrlC: false,
    patchConsole: stdout === process.stdout,
    interactive: true,
    maxFps: 60,
    isScreenReaderEnabled: options.isSpoken ?? false,
    onRender: () => void (drawn = chat.view().frame),
  })
  // Ink draws the old lines into the new size first, and erases as many rows as it wrote; see eraseRewrapped.
  for (const listener of stdout.listeners('resize')) {
    if (!known.includes(listener)) stdout.off('resize', listener as () => void)
  }
  const onResize = (): void => {
    const { columns, rows } = sizeOf(stdout)
    stdout.write(eraseRewrapped(drawn, columns, rows))
    ink.clear()
    chat.resized()
    ink.rerender(tree)
  }
  stdout.on('resize', onResize)
  if (typedAhead !== '') chat.press(keysTypedAhead(typedAhead))
  /** Resolves once the person has left and the terminal is as it was; rejects if drawing failed. */
  const finished = ink.waitUntilExit().finally(() => {
    stdout.off('resize', onResize)
    chat.leave()
    back()
  })
  return { finished, close: () => chat.leave() }
}

const SAVE_TITLE = '\u001B[22;0t'
const RESTORE_TITLE = '\u001B[23;0t'
const ALERT_COLUMNS = 120

/** The bell, and for `all` a desktop notification (OSC 9) and the window title. */
export function alertBytes(text: string, how: 'off' | 'bell' | 'all'): string {
  // With the name before it, no text can look like one of the commands that some terminals know behind OSC 9.
  const shown = shorten(`Mainstem: ${oneLine(text)}`, ALERT_COLUMNS)
  if (how === 'off') return ''
  return how === 'bell' ? BELL : `${BELL}\u001B]9;${shown}${BELL}\u001B]0;${shown}${BELL}`
}

const BELL = '\u0007'

function sizeOf({ columns, rows }: ScreenStreams['stdout']): { columns: number; rows: number } {
  return { columns: columns || 80, rows: rows || 24 }
}

/** Ends one line down: tmux would keep a copy of a frame that begins in the corner each time it is erased. */
const CLEAR_SCREEN = '\u001B[2J\u001B[H\n'

/** Nothing is drawn but through `shown`: text may come from anybody. */
function Transcript({ chat, shown }: { chat: Chat; shown: OwnStyle['shown'] }): ReactNode {
  const { items, frame, hasLeft } = useSyncExternalStore(chat.subscribe, chat.view)
  const { setCursorPosition } = useCursor()
  const { exit } = useApp()
  useInput((input, press) => chat.press(keysOf(input, press)))
  usePaste((text) => chat.press([{ kind: 'paste', text }]))
  useEffect(() => {
    if (hasLeft) exit()
  }, [hasLeft, exit])
  setCursorPosition(frame.cursor)
  // An empty line would have no height.
  const textOf = (text: string, key: Key): ReactNode =>
    h(Text, { key, wrap: 'truncate' }, text === '' ? ' ' : shown(text))
  return h(
    Fragment,
    null,
    h(Static<Item>, { items: items as Item[], children: ({ id, text }) => textOf(text, id) }),
    h(Box, { flexDirection: 'column' }, ...frame.lines.map(textOf)),
  )
}

/**
 * Erases a frame after its terminal has become narrower, and leaves the cursor as far below the frame's top as it was.
 * Terminals wrap long lines again when they are resized, so what was one row may be two, and whoever erases as many
 * rows as they wrote leaves the rest behind.
 */
export function eraseRewrapped(frame: Frame, columns: number, rows: number): string {
  const { cursor, lines } = frame
  if (cursor === undefined) return ''
  const rewrapped = lines
    .slice(0, cursor.y)
    .map((line) => Math.max(1, Math.ceil(widthOf(stripVTControlCharacters(line)) / columns)))
  const above = rewrapped.reduce((sum, count) => sum + count, 0) + Math.floor(cursor.x / columns)
  const up = above > 0 ? `\u001B[${above}A` : ''
  // Line by line: tmux takes one erasure from the corner for clearing the screen, and keeps what was there.
  const erase = Array.from({ length: rows }, () => '\u001B[2K').join('\u001B[B')
  const down = cursor.y > 0 ? `\u001B[${cursor.y}B` : ''
  return `${HIDE}${up}\r${SAVE}${erase}${RESTORE}${down}`
}

const HIDE = '\u001B[?25l'
const SAVE = '\u001B7'
const RESTORE = '\u001B8'
