import { describe, expect, test } from 'vitest'
import { systemClock } from '../src/base/clock.ts'
import type { Entry, ScreenHappening } from '../src/channel/terminal/port.ts'
import { someStatus } from './stand-ins/terminal-port.ts'
import { open } from './stand-ins/terminal-screen.ts'
import type { FakeTerminal } from './stand-ins/terminal.ts'

const said = (text: string): Entry => ({ kind: 'said', text, at: 0 })
const answer = (text: string): Entry => ({ kind: 'answer', text, at: systemClock(), branch: 'main' })
const count = (text: string, part: string): number => text.split(part).length - 1
const numbered = (lines: number): string =>
  Array.from({ length: lines }, (_, index) => `Line ${index}.`).join('\n\n')

const moved = (branch: string, movedBy: 'person' | 'other'): ScreenHappening => ({
  kind: 'status',
  status: { ...someStatus, branch, mode: branch === 'main' ? 'main' : 'fork' },
  movedBy,
})

describe('writing', () => {
  test('a key is seen in the box, with the cursor behind it', async () => {
    const { terminal } = await open()
    terminal.type('hé电')
    await terminal.until((text) => text.includes('│ hé电'))
    const { x, y, isShown } = terminal.cursor()
    expect({ x, isShown }).toEqual({ x: 6, isShown: true })
    expect(terminal.rows()[y]).toBe('│ hé电')
  })

  test('Enter hands the text over, shows it, and empties the box', async () => {
    const { port, terminal } = await open()
    terminal.type('hello there')
    terminal.type('\r')
    await terminal.until((text) => text.includes('› hello there'))
    expect(port.submitted).toEqual(['hello there'])
    expect(terminal.rows().join('\n')).not.toContain('│ hello')
  })

  test('what was typed elsewhere is shown too', async () => {
    const { port, terminal } = await open()
    port.tell({ kind: 'entry', entry: said('from the phone') })
    await terminal.until((text) => text.includes('› from the phone'))
  })

  test.each(['\u001B\r', '\n', '\\\r'])('%j makes a new line and sends nothing', async (key) => {
    const { port, terminal } = await open()
    terminal.type('one')
    terminal.type(key)
    await terminal.until((text) => text.includes('│ one\n│\n'))
    terminal.type('two')
    await terminal.until((text) => text.includes('│ one\n│ two'))
    expect(port.submitted).toEqual([])
    terminal.type('\r')
    await terminal.until((text) => text.includes('› one'))
    expect(port.submitted).toEqual(['one\ntwo'])
  })

  test('a paste stays one message, however many lines it has and pieces it comes in', async () => {
    const { port, terminal } = await open()
    expect(terminal.isPasteBracketed()).toBe(true)
    const pasted = Array.from({ length: 12 }, (_, index) => `pasted ${index}`).join('\r')
    const bytes = `\u001B[200~${pasted}\u001B[201~`
    for (const piece of [bytes.slice(0, 3), bytes.slice(3, 40), bytes.slice(40, -2), bytes.slice(-2)])
      terminal.type(piece)
    await terminal.until((text) => text.includes('│ pasted 11'))
    expect(terminal.rows().filter((row) => row.startsWith('│ pasted'))).toHaveLength(8)
    expect(terminal.rows().join('\n')).toContain('row 12 of 12')
    expect(port.submitted).toEqual([])
    terminal.type('\r')
    await terminal.until((text) => text.includes('› pasted 0'))
    expect(port.submitted).toEqual([pasted.replaceAll('\r', '\n')])
  })

  test('editing keys do what they do in a shell', async () => {
    const { terminal } = await open()
    terminal.type('one two three')
    for (const key of ['\u0017', '\u0001', '\u001B[1;5C', '\u001B[3~', '\u0005', '\u007F', '!'])
      terminal.type(key)
    await terminal.until((text) => text.includes('│ onetwo!'))
  })

  test('the arrows bring back what was sent, then what was being written', async () => {
    const { terminal } = await open({ typed: ['older', 'newer'] })
    for (const key of ['\u001B[A', '\u001B[A']) terminal.type(key)
    await terminal.until((text) => text.includes('│ older'))
    for (const key of ['\u001B[B', '\u001B[B']) terminal.type(key)
    await terminal.until((text) => !text.includes('│ older') && !text.includes('│ newer'))
    terminal.type('o')
    terminal.type('\u001B[A')
    await terminal.until((text) => text.includes('│ older'))
  })

  test('Ctrl-R searches what was sent, and Escape goes back to what was being written', async () => {
    const { terminal } = await open({ typed: ['call the workshop', 'hello'] })
    terminal.type('draft')
    terminal.type('\u0012')
    terminal.type('shop')
    await terminal.until((text) => text.includes('│ call the workshop\n│ History search: shop'))
    expect(terminal.text()).toContain('╰─ Ctrl-R finds an older one · Enter sends')
    terminal.type('x')
    await terminal.until((text) => text.includes('│ draft\n│ History search: shopx (nothing found)'))
    terminal.type('\u001B')
    await terminal.until((text) => text.includes('│ draft\n╰─ ▓'))
  })

  test('a slash offers commands, Tab completes, Escape closes', async () => {
    const completions = [
      { line: '/rewind ', label: '/rewind [MARK]', help: 'goes back to a mark' },
      { line: '/reload', label: '/reload', help: 'reads the files again' },
    ]
    const { terminal } = await open({ completions })
    terminal.type('/re')
    await terminal.until((text) => text.includes('│   /rewind [MARK]  goes back to a mark'))
    terminal.type('\u001B[B')
    await terminal.until((text) => text.includes('│ ▸ /rewind'))
    terminal.type('\u001B')
    await terminal.until((text) => !text.includes('goes back'))
    terminal.type('w\t')
    await terminal.until((text) => text.includes('│ /rewind\n'))
  })

  const inFork = { branch: '5jyt2v', mode: 'fork' } as const

  test.each([
    [80, 'You started this in fork 5jyt2v. Press Enter again to send it to main.'],
    [40, 'Press Enter again to send it to main.'],
  ])(
    'in %i columns, what was begun in a fork that somebody else ended goes to main only when sent twice',
    async (columns, hint) => {
      const { port, terminal } = await open({ columns, status: inFork })
      terminal.type('half typed secret')
      await terminal.until((text) => text.includes('│ half typed secret'))
      port.tell(moved('main', 'other'))
      await terminal.until((text) => text.includes('╭─ main'))
      terminal.type('\r')
      await terminal.until((text) => text.includes(`╰─ ${hint}`))
      expect(terminal.text()).toContain('│ half typed secret')
      expect(port.submitted).toEqual([])
      terminal.type('!\r')
      await terminal.until((text) => text.includes('› half typed secret!'))
      expect(port.submitted).toEqual(['half typed secret!'])
      expect(terminal.rows().join('\n')).not.toContain('Enter again')
      terminal.type('next\r')
      await terminal.until((text) => text.includes('› next'))
    },
  )

  test('what was begun before a move of the person, or after any, or anew, is sent at once', async () => {
    const { port, terminal } = await open({ status: inFork })
    port.tell(moved('main', 'other'))
    terminal.type('a\r')
    await terminal.until((text) => text.includes('› a'))
    terminal.type('b')
    port.tell(moved('5jyt2v', 'person'))
    terminal.type('\r')
    await terminal.until((text) => text.includes('› b'))
    terminal.type('c')
    port.tell(moved('main', 'other'))
    terminal.type('\u0015d\r')
    await terminal.until((text) => text.includes('› d'))
    expect(port.submitted).toEqual(['a', 'b', 'd'])
  })

  test('a message that is refused comes back, with the reason', async () => {
    const { terminal } = await open({ onSubmit: async () => Promise.reject(new Error('the disk is full')) })
    terminal.type('keep me\r')
    await terminal.until((text) => text.includes('│ keep me'))
    expect(terminal.text()).toContain('✗ Not sent: the disk is full. It is back in the input box.')
  })
})

describe('a message sent while a turn runs', () => {
  test('waits below the running answer, and is kept below that answer when its turn comes', async () => {
    const taken = new Map<string, () => void>()
    const { port, terminal } = await open({
      onTaken: (text) => new Promise((resolve) => void taken.set(text, resolve)),
    })
    port.tell({ kind: 'turn-started', at: systemClock() })
    port.tell({ kind: 'piece', text: 'The first answer' })
    await terminal.until((text) => text.includes('The first answer'))
    for (const text of ['second', 'third']) {
      terminal.type(`${text}\r`)
      await terminal.until((shown) => shown.includes(`› ${text} (waiting)`))
    }
    expect(terminal.text()).toContain('The first answer\n\n› second (waiting)\n› third (waiting)\n\n╭─')
    port.tell({ kind: 'turn-ended' })
    port.tell({ kind: 'turn-started', at: systemClock() })
    port.tell({ kind: 'entry', entry: answer('The first answer.') })
    taken.get('second')?.()
    await terminal.until((text) => text.includes('The first answer.\n\n› second\n\n› third (waiting)'))
    taken.get('third')?.()
    await terminal.until((text) => text.includes('› second\n\n› third\n\n╭─'))
    expect(port.submitted).toEqual(['second', 'third'])
  })

  test('is not lost where it was not taken before the person leaves', async () => {
    const { port, terminal, screen } = await open({ onTaken: () => new Promise(() => undefined) })
    port.tell({ kind: 'turn-started', at: systemClock() })
    terminal.type('late\r')
    await terminal.until((text) => text.includes('› late (waiting)'))
    screen.close()
    await screen.finished
    expect(terminal.text()).toMatch(/› late$/)
  })

  test('is shown at once if it is a command', async () => {
    const { port, terminal } = await open({ onTaken: () => new Promise(() => undefined) })
    port.tell({ kind: 'turn-started', at: systemClock() })
    terminal.type('/context\r')
    await terminal.until((text) => text.includes('› /context\n'))
    expect(terminal.text()).not.toContain('(waiting)')
  })
})

describe('a ping or a reminder', () => {
  const more = { at: 0, branch: 'main' }
  const text = `The build\u0007\u001B]0;evil\u009C is red ${'x'.repeat(300)}`
  const ping: Entry = { kind: 'ping', text, choices: [], number: 3, from: 'routine brief', ...more }

  test('rings the bell, tells the desktop and sets the title, which a key restores', async () => {
    const { port, terminal } = await open({ notify: 'all' })
    port.tell({ kind: 'entry', entry: ping })
    await terminal.until((shown) => shown.includes('#3 from routine brief'))
    const [, bell, desktop = '', title = '', ...others] = terminal.calls()
    expect({ bell, others }).toEqual({ bell: 'bell', others: [] })
    expect(desktop).toMatch(
      /^9;Mainstem: #3 from routine brief: The build\uFFFD{2}\]0;evil\uFFFD is red x+…$/,
    )
    expect(title).toBe(desktop.replace('9;', '0;'))
    expect(title.length).toBeLessThan(130)
    const job = { kind: 'answer', text: 'Call mum.', job: 'reminder call-mum', ...more } as const
    port.tell({ kind: 'entry', entry: job })
    await terminal.until((shown) => shown.includes('Call mum.'))
    expect(terminal.calls().at(-1)).toBe('0;Mainstem: reminder call-mum: Call mum.')
    terminal.type('x')
    await terminal.until((shown) => shown.includes('│ x'))
    expect(terminal.calls().at(-1)).toBe('[23;0t')
  })

  test.each([
    ['bell', ['bell']],
    ['off', []],
  ] as const)(
    'with %s only does %j, and an answer that was asked for does nothing',
    async (notify, calls) => {
      const { port, terminal } = await open({ notify, past: [ping] })
      port.tell({ kind: 'entry', entry: ping })
      port.tell({ kind: 'entry', entry: answer('You asked.') })
      await terminal.until((shown) => shown.includes('You asked.'))
      expect(terminal.calls()).toEqual(calls)
    },
  )
})

test('Ctrl-O opens the newest tool line and closes it, and the arrows open others', async () => {
  const { port, terminal } = await open()
  for (const name of ['read', 'web_fetch']) {
    const entry = { kind: 'tool', name, summary: 'x → done', isError: false } as const
    const details = `path: ${name}.md\n→\n${numbered(40)}`
    port.tell({ kind: 'entry', entry: { ...entry, details } })
  }
  await terminal.until((text) => text.includes('✓ web_fetch x → done'))
  terminal.type('\u000F')
  await terminal.until((text) => text.includes('▾ web_fetch x → done\n  Ctrl-O closes it · call 2 of 2'))
  expect(terminal.text()).toContain('  path: web_fetch.md\n  →\n  Line 0.')
  expect(terminal.text()).toMatch(/… and \d+ more\n/)
  terminal.type('\u001B[A')
  await terminal.until((text) => text.includes('▾ read x → done'))
  terminal.type('\u000F')
  await terminal.until((text) => !text.includes('▾'))
  expect(count(terminal.text(), '✓ read x → done')).toBe(1)
})

test('in a wide terminal, all text wraps at one width', async () => {
  const text = 'word '.repeat(60).trim()
  const more = { at: systemClock(), branch: 'main' }
  const { terminal } = await open({
    columns: 160,
    rows: 60,
    past: [
      { kind: 'said', text, at: systemClock() },
      { kind: 'answer', text: `${text}\n\n- ${text}`, ...more },
      { kind: 'output', text, isError: false },
      { kind: 'notice', text },
      { kind: 'question', text },
      { kind: 'ping', text, choices: [], from: 'routine a', number: 1, ...more },
      { kind: 'ping', text, embed: { title: 'x', description: text }, choices: [], from: 'b', ...more },
    ],
  })
  terminal.type(text)
  await terminal.until((shown) => shown.includes('│ word'))
  const lines = terminal
    .text()
    .split('\n')
    .filter((line) => line.includes('word word'))
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100)
  expect(lines.filter(({ length }) => length > 90).length).toBeGreaterThan(20)
})

describe.each([
  [80, 24],
  [160, 50],
  [40, 15],
])('an answer on %i×%i', (columns, rows) => {
  test('is seen growing, never fills the screen, and stays whole, once', async () => {
    const { port, terminal } = await open({ columns, rows })
    const whole = numbered(60)
    port.tell({ kind: 'turn-started', at: systemClock() })
    let at = 0
    for (const end of [400, 500, whole.length]) {
      for (; at < end; at += 3) port.tell({ kind: 'piece', text: whole.slice(at, Math.min(end, at + 3)) })
      const last = whole.slice(0, end).split('\n').at(-1) ?? ''
      await terminal.until((text) => text.includes(last))
      expect(terminal.rows().filter((row) => row !== '').length).toBeLessThan(rows)
    }
    port.tell({ kind: 'entry', entry: answer(whole) })
    port.tell({ kind: 'turn-ended' })
    await terminal.until((text) => text.includes('Line 59.') && !text.includes('working'))
    const lines = terminal.text().split('\n')
    for (let index = 0; index < 60; index++)
      expect(lines.filter((line) => line === `Line ${index}.`)).toHaveLength(1)
    expect(terminal.text()).not.toContain('⋮')
  })

  test('is told apart from calls, output and notices', async () => {
    const { port, terminal } = await open({ columns, rows })
    port.tell({ kind: 'turn-started', at: systemClock() })
    port.tell({ kind: 'call-started', name: 'web', summary: 'a.example' })
    await terminal.until((text) => /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] web a\.example/.test(text))
    port.tell({
      kind: 'entry',
      entry: { kind: 'tool', name: 'web', summary: 'a.example → 404', isError: true },
    })
    port.tell({ kind: 'entry', entry: answer('# Done\n\n- `a`') })
    port.tell({ kind: 'entry', entry: { kind: 'notice', text: 'k3f9x2 finished.' } })
    await terminal.until((text) => text.includes('– k3f9x2 finished.'))
    expect(terminal.text()).toMatch(
      /✗ web a\.example → 404\n\n(?:── .* ──\n\n)?Done\n\n• `a`\n\n– k3f9x2 finished\./,
    )
  })
})

test('pieces that are void are gone, pieces that no answer followed stay', async () => {
  const { port, terminal } = await open()
  port.tell({ kind: 'turn-started', at: systemClock() })
  port.tell({ kind: 'piece', text: 'First try' })
  await terminal.until((text) => text.includes('First try'))
  port.tell({ kind: 'pieces-void' })
  port.tell({ kind: 'piece', text: 'Second try' })
  await terminal.until((text) => text.includes('Second try'))
  port.tell({ kind: 'turn-ended' })
  await terminal.until((text) => text.includes('– This answer is incomplete.'))
  expect(terminal.text()).not.toContain('First try')
  expect(count(terminal.text(), 'Second try')).toBe(1)
})

test('answers that are delivered late, after several turns, are shown once', async () => {
  const { port, terminal } = await open()
  for (const text of ['One.', 'Two.', 'Three.']) {
    port.tell({ kind: 'turn-started', at: systemClock() })
    port.tell({ kind: 'piece', text })
    await terminal.until((shown) => shown.includes(text))
    port.tell({ kind: 'turn-ended', answer: 'follows' })
  }
  await new Promise((resolve) => setTimeout(resolve, 1_200))
  for (const text of ['One.', 'Two.', 'Three.']) port.tell({ kind: 'entry', entry: answer(text) })
  await terminal.until((shown) => shown.includes('Two.\n\nThree.'))
  expect(terminal.text()).not.toContain('incomplete')
  for (const text of ['One.', 'Two.', 'Three.']) expect(count(terminal.text(), text)).toBe(1)
})

test('an answer to somebody elsewhere stays, and is not called incomplete', async () => {
  const { port, terminal } = await open()
  port.tell({ kind: 'turn-started', at: systemClock() })
  port.tell({ kind: 'piece', text: 'For a program.' })
  port.tell({ kind: 'turn-ended', answer: 'elsewhere' })
  port.tell({ kind: 'entry', entry: { kind: 'notice', text: 'later' } })
  await terminal.until((text) => text.includes('– later'))
  expect(count(terminal.text(), 'For a program.')).toBe(1)
  expect(terminal.text()).not.toContain('incomplete')
})

test('an answer that is delivered after the next turn has begun is shown once', async () => {
  const { port, terminal } = await open()
  port.tell({ kind: 'turn-started', at: systemClock() })
  port.tell({ kind: 'piece', text: 'The first answer.' })
  port.tell({ kind: 'turn-ended' })
  port.tell({ kind: 'turn-started', at: systemClock() })
  port.tell({ kind: 'piece', text: 'The second' })
  port.tell({ kind: 'entry', entry: answer('The first answer.') })
  await terminal.until((text) => text.includes('The first answer.') && text.includes('The second'))
  port.tell({ kind: 'turn-ended' })
  port.tell({ kind: 'entry', entry: answer('The second answer.') })
  await terminal.until((text) => text.includes('The second answer.'))
  await new Promise((resolve) => setTimeout(resolve, 1_200))
  expect(terminal.text()).not.toContain('incomplete')
  expect(count(terminal.text(), 'The first answer.')).toBe(1)
  expect(count(terminal.text(), 'The second')).toBe(1)
})

test('a turn that runs already when the screen opens is shown, pieces and all', async () => {
  const { terminal } = await open({
    onWatch: (listener) => {
      listener({ kind: 'turn-started', at: systemClock() })
      listener({ kind: 'piece', text: 'Begun long ago' })
    },
  })
  await terminal.until((text) => text.includes('Begun long ago') && text.includes('working'))
})

test('what was said before stands above, oldest first', async () => {
  const past: Entry[] = [said('Good morning'), { ...answer('Good **morning**.'), at: 4_000 } as Entry]
  const { terminal } = await open({ past })
  expect(terminal.text()).toMatch(/── Thu 1 Jan, 00:00 ──\n\n› Good morning\n\nGood morning\.\n\n╭─ main/)
})

test('the status follows what is told', async () => {
  const { port, terminal } = await open()
  port.tell({ kind: 'status', status: { ...port.status(), branch: 'k3f9x2', mode: 'fork', unreadMail: 3 } })
  await terminal.until((text) => text.includes('╭─ fork k3f9x2') && text.includes('3 unread'))
})

const isClean = (terminal: FakeTerminal): boolean =>
  terminal.cursor().isShown && !terminal.isPasteBracketed() && !terminal.stdin.isRaw

describe('leaving', () => {
  test('Ctrl-C to stop a turn, and again it warns, and again it leaves', async () => {
    const { port, terminal, screen } = await open({ onStop: async () => true })
    port.tell({ kind: 'turn-started', at: systemClock() })
    await terminal.until((text) => text.includes('Esc to stop'))
    terminal.type('\u0003')
    await terminal.until((text) => text.includes('stopping'))
    expect(port.stops()).toBe(1)
    terminal.type('\u0003')
    await terminal.until((text) => text.includes('Press Ctrl-C again to exit.'))
    terminal.type('\u0003')
    await screen.finished
    expect(port.stops()).toBe(1)
  })

  test('Escape closes the menu first, then stops the turn, and keeps what is written', async () => {
    const completions = [{ line: '/reload', label: '/reload', help: 'reads the files again' }]
    const { port, terminal } = await open({ completions })
    port.tell({ kind: 'turn-started', at: systemClock() })
    terminal.type('/re')
    await terminal.until((text) => text.includes('reads the files again'))
    terminal.type('\u001B')
    await terminal.until((text) => !text.includes('reads the files again'))
    expect(port.stops()).toBe(0)
    terminal.type('\u001B')
    await terminal.until((text) => text.includes('stopping'))
    terminal.type('!')
    await terminal.until((text) => text.includes('│ /re!'))
    expect(port.stops()).toBe(1)
  })

  test('Ctrl-C clears what is written, then warns, then leaves a clean terminal', async () => {
    const { terminal, screen } = await open({ past: [said('before')] })
    expect(isClean(terminal)).toBe(false)
    terminal.type('rubbish')
    await terminal.until((text) => text.includes('│ rubbish'))
    terminal.type('\u0003')
    await terminal.until((text) => !text.includes('rubbish'))
    terminal.type('\u0003')
    await terminal.until((text) => text.includes('Press Ctrl-C again to exit.'))
    terminal.type('\u0003')
    await screen.finished
    expect(isClean(terminal)).toBe(true)
    expect(terminal.text()).toMatch(/› before$/)
  })

  test('the warning goes away by itself, and another key takes it back', async () => {
    const { terminal } = await open()
    terminal.type('\u0003')
    await terminal.until((text) => text.includes('Press Ctrl-C again'))
    terminal.type('x')
    await terminal.until((text) => !text.includes('Press Ctrl-C again'))
    terminal.type('\u0003')
    await terminal.until((text) => !text.includes('│ x'))
    terminal.type('\u0003')
    await terminal.until((text) => text.includes('Press Ctrl-C again'))
    await terminal.until((text) => !text.includes('Press Ctrl-C again'))
  })

  test('Ctrl-D on an empty box leaves', async () => {
    const { terminal, screen } = await open()
    terminal.type('\u0004')
    await screen.finished
    expect(isClean(terminal)).toBe(true)
  })

  test('so does the port, and whoever closes the screen; what was half answered stays', async () => {
    const { port, terminal, screen } = await open()
    port.tell({ kind: 'turn-started', at: systemClock() })
    port.tell({ kind: 'piece', text: 'Half an ans' })
    port.tell({ kind: 'leave' })
    await screen.finished
    screen.close()
    expect(terminal.text()).toMatch(/Half an ans\n\n– This answer is incomplete\.$/)
    expect(isClean(terminal)).toBe(true)
  })

  test('nothing is drawn afterwards', async () => {
    const { port, terminal, screen } = await open()
    screen.close()
    await screen.finished
    const before = terminal.text()
    port.tell({ kind: 'entry', entry: said('too late') })
    terminal.type('x')
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(terminal.text()).toBe(before)
  })
})

test('nothing that a model, a tool or a person writes can command the terminal', async () => {
  const hostile =
    '\u001B]52;c;cm0gLXJm\u0007\u001B]0;owned\u0007\u001B[2J\u001B[1;1H\u009B5A\u001B[?1049h\u001BcX&#27;[2J'
  const { port, terminal } = await open({
    past: [said(hostile), answer(hostile)],
    status: { branch: hostile, model: hostile },
    completions: [
      { line: '/x', label: hostile, help: hostile },
      { line: '/xy', label: 'b', help: 'c' },
    ],
  })
  port.tell({ kind: 'turn-started', at: systemClock() })
  port.tell({ kind: 'call-started', name: hostile, summary: hostile })
  for (const piece of hostile) port.tell({ kind: 'piece', text: piece })
  port.tell({ kind: 'entry', entry: { kind: 'tool', name: hostile, summary: hostile, isError: true } })
  port.tell({ kind: 'entry', entry: { kind: 'output', text: hostile, isError: false } })
  port.tell({ kind: 'entry', entry: { kind: 'notice', text: hostile } })
  port.tell({ kind: 'entry', entry: { kind: 'question', text: `${hostile}\n+ ${hostile}\n${hostile}` } })
  const choices = [{ label: hostile, command: '/deny 1' }]
  const question = { approval: 1, title: hostile, about: hostile, unshown: null, choices, until: null }
  port.tell({ kind: 'question-asked', question, where: 'in-front' })
  port.tell({ kind: 'command-started', id: 1, text: `/${hostile}`, at: 0 })
  terminal.type(`\u001B[200~${hostile}\u001B[201~`)
  terminal.type('\u0015/')
  await terminal.until((text) => text.includes('│   b'))
  port.tell({ kind: 'entry', entry: answer(`${hostile} end`) })
  await terminal.until((text) => text.includes('end'))
  expect(terminal.surprises()).toEqual([])
  // Seen, wherever it was: twice in the past, in the branch's name, the call, the output, the notice, the answer, …
  expect(count(terminal.text(), ']52;c;cm0gLXJm')).toBeGreaterThanOrEqual(14)
})

test('[SAFE6] what no part of the screen made harmless is made harmless where it is drawn', async () => {
  const hostile = '\u001B]52;c;eA==\u0007 \u001B[31mred \u009B2J'
  const { terminal } = await open({ status: { permissions: hostile as 'default' } })
  await terminal.until((text) => text.includes('red'))
  expect(terminal.surprises()).toEqual([])
  expect(terminal.written()).not.toContain('\u001B[31m')
})

test('a screen that changes its size is drawn for the new one', async () => {
  const { port, terminal } = await open({ past: [said('before')] })
  port.tell({ kind: 'turn-started', at: systemClock() })
  port.tell({ kind: 'piece', text: numbered(40) })
  await terminal.until((text) => text.includes('Line 39.'))
  for (const [columns, rows] of [
    [40, 15],
    [120, 40],
    [80, 24],
  ] as const) {
    terminal.resize(columns, rows)
    await terminal.until((text) => text.includes('Line 39.') && count(text, '╭─') === 1)
    expect(terminal.rows().filter((row) => row !== '').length).toBeLessThan(rows)
    terminal.type('x')
    await terminal.until((text) => /│ x+\n/.test(text))
  }
  port.tell({ kind: 'entry', entry: answer(numbered(40)) })
  port.tell({ kind: 'turn-ended' })
  await terminal.until((text) => text.includes('Line 39.') && !text.includes('working'))
  expect(count(terminal.rows().join('\n'), 'Line 39.')).toBe(1)
})

test('for a screen reader there are sentences, and nothing moves', async () => {
  const { port, terminal } = await open({ isSpoken: true })
  port.tell({ kind: 'turn-started', at: systemClock() })
  port.tell({ kind: 'piece', text: 'Half an ans' })
  await terminal.until((text) => text.includes('Working. Press Esc to stop.'))
  port.tell({ kind: 'entry', entry: answer('Half an answer.') })
  port.tell({ kind: 'turn-ended' })
  terminal.type('next')
  await terminal.until((text) => text.endsWith('> next') || text.includes('> next\n'))
  expect(terminal.text()).not.toMatch(/[╭│╰⠋▓]/)
  expect(terminal.text()).toContain('Half an answer.')
})
