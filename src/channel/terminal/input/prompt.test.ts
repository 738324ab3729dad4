import { describe, expect, test } from 'vitest'
import type { Key } from './keys.ts'
import type { Completion } from '../port.ts'
import { type Pressed, type Prompt, emptyPrompt, pressed, promptWith } from './prompt.ts'

const commands: readonly Completion[] = [
  '/mark ',
  '/rewind ',
  '/recall ',
  '/reload',
  '/a',
  '/b',
  '/c',
  '/d',
].map((line) => ({ line, label: line.trim(), help: '' }))
const desk = {
  columns: 40,
  sent: ['earlier'],
  complete: (line: string) => commands.filter((each) => each.line.startsWith(line)),
}

function typed(text: string, from: Prompt = emptyPrompt): Prompt {
  return pressed(from, { kind: 'text', text }, desk).prompt
}

function press(prompt: Prompt, ...kinds: readonly Exclude<Key['kind'], 'text' | 'paste'>[]): Pressed {
  return kinds.reduce<Pressed>((before, kind) => pressed(before.prompt, { kind }, desk), {
    prompt,
    ask: null,
  })
}

describe('Enter', () => {
  test('sends what is written, and the prompt is empty again', () =>
    expect(press(typed('hello'), 'enter')).toEqual({
      prompt: emptyPrompt,
      ask: { kind: 'send', text: 'hello' },
    }))

  test('sends a text of several lines as one, without the empty ones around it', () =>
    expect(press(promptWith('\n  a\nb\n\n'), 'enter').ask).toEqual({ kind: 'send', text: '  a\nb' }))

  test('sends nothing where there is nothing', () => expect(press(typed('  \n '), 'enter').ask).toBeNull())

  test('sends the command as typed while offers are shown', () =>
    expect(press(typed('/re'), 'enter').ask).toEqual({ kind: 'send', text: '/re' }))

  test('takes the offer that was walked to, and sends nothing', () => {
    const { prompt, ask } = press(typed('/re'), 'down', 'down', 'enter')
    expect(prompt.editor.text).toBe('/recall ')
    expect(ask).toBeNull()
  })

  test('takes the only offer, which is marked, and sends it the next time', () => {
    expect(typed('/relo').menu?.chosen).toBe(0)
    const { prompt, ask } = press(typed('/relo'), 'enter')
    expect({ text: prompt.editor.text, ask }).toEqual({ text: '/reload', ask: null })
    expect(press(prompt, 'enter').ask).toEqual({ kind: 'send', text: '/reload' })
  })

  test('sends a whole word although a longer one begins with it, and a command without its argument', () => {
    const completions = ['/clear ', '/clear T', '/clear TASK'].map((line) => ({
      line,
      label: line,
      help: '',
    }))
    const complete = (line: string): readonly Completion[] => {
      const words = completions.filter((each) => each.line.startsWith(line))
      return line === '/clear ' ? words.slice(2) : words
    }
    const sent = (text: string): unknown => {
      const { prompt } = pressed(emptyPrompt, { kind: 'text', text }, { ...desk, complete })
      return pressed(prompt, { kind: 'enter' }, { ...desk, complete }).ask
    }
    expect(sent('/clear T')).toEqual({ kind: 'send', text: '/clear T' })
    expect(sent('/clear ')).toEqual({ kind: 'send', text: '/clear' })
  })
})

describe('offers', () => {
  test('are there for lines that begin with a slash, six at most', () => {
    expect(typed('/').menu?.offers).toHaveLength(6)
    expect(typed('/re').menu?.offers.map(({ label }) => label)).toEqual(['/rewind', '/recall', '/reload'])
    expect(typed('re /re').menu).toBeNull()
    expect(typed('/zzz').menu).toBeNull()
  })

  test('are gone when the line is complete', () => expect(typed('/reload').menu).toBeNull())

  test('Tab takes the best one', () =>
    expect(press(typed('/ma'), 'tab').prompt.editor).toMatchObject({ text: '/mark ', cursor: 6 }))

  test('Tab takes the chosen one; the list goes round', () =>
    expect(press(typed('/re'), 'up', 'tab').prompt.editor.text).toBe('/reload'))

  test('Escape closes them, the next letter opens them again', () => {
    const { prompt } = press(typed('/r'), 'escape')
    expect(prompt.menu).toBeNull()
    expect(typed('e', prompt).menu).not.toBeNull()
  })

  test('complete the line at the cursor and leave the others', () => {
    const lines = pressed(emptyPrompt, { kind: 'paste', text: '/mark A\n/relo' }, desk).prompt
    expect(press(lines, 'tab').prompt.editor.text).toBe('/mark A\n/reload')
  })

  test('do not open for a text that was sent before, so that the arrows go on through those', () => {
    const sent = { ...desk, sent: ['older', '/mark A'] }
    const up = pressed(emptyPrompt, { kind: 'up' }, sent).prompt
    expect(up.menu).toBeNull()
    expect(pressed(up, { kind: 'up' }, sent).prompt.editor.text).toBe('older')
  })
})

const words = (text: string): Key => ({ kind: 'text', text })

describe('Ctrl-R', () => {
  const history = { ...desk, sent: ['git log', 'Hello there', 'git push', '/mark A'] }
  const after = (prompt: Prompt, ...keys: readonly Key[]): Pressed =>
    keys.reduce<Pressed>((before, key) => pressed(before.prompt, key, history), { prompt, ask: null })
  const search: Key = { kind: 'search' }

  test('finds the newest text with the words, again an older one, and stays at the oldest', () => {
    expect(after(emptyPrompt, search, words('gi'), words('t')).prompt.editor.text).toBe('git push')
    expect(after(emptyPrompt, search, words('git'), search).prompt.editor.text).toBe('git log')
    expect(after(emptyPrompt, search, words('git'), search, search).prompt.editor.text).toBe('git log')
    expect(after(emptyPrompt, search, words('HELLO')).prompt.editor.text).toBe('Hello there')
  })

  test('shows what was written where nothing is found, and one word less finds again', () => {
    const none = after(typed('draft'), search, words('gitx')).prompt
    expect(none).toMatchObject({ editor: { text: 'draft' }, search: { words: 'gitx', at: -1 } })
    expect(after(none, { kind: 'delete-left' }).prompt.editor.text).toBe('git push')
  })

  test('Enter sends what was found, Tab and the arrows edit it', () => {
    const prompt = after(emptyPrompt, search, words('log')).prompt
    expect(after(prompt, { kind: 'enter' })).toEqual({
      prompt: emptyPrompt,
      ask: { kind: 'send', text: 'git log' },
    })
    expect(after(prompt, { kind: 'tab' }, words('!')).prompt.editor.text).toBe('git log!')
    expect(after(prompt, { kind: 'left' }, words('!')).prompt.editor.text).toBe('git lo!g')
  })

  test.each(['escape', 'interrupt'] as const)('%s goes back to what was written', (kind) =>
    expect(after(typed('draft'), search, words('git'), { kind })).toEqual({
      prompt: promptWith('draft'),
      ask: null,
    }),
  )
})

test('Escape with nothing to close asks to stop, and changes no text', () =>
  expect(press(typed('ab'), 'escape')).toEqual({ prompt: typed('ab'), ask: { kind: 'stop' } }))

describe('leaving', () => {
  test('Ctrl-D leaves where nothing is written', () =>
    expect(press(emptyPrompt, 'end-of-input').ask).toEqual({ kind: 'leave' }))

  test('Ctrl-D deletes a sign where something is', () => {
    const { prompt, ask } = press(typed('ab'), 'home', 'end-of-input')
    expect(prompt.editor.text).toBe('b')
    expect(ask).toBeNull()
  })

  test('Ctrl-C is asked of the screen, and changes no text', () =>
    expect(press(typed('ab'), 'interrupt')).toMatchObject({
      ask: { kind: 'interrupt' },
      prompt: typed('ab'),
    }))
})
