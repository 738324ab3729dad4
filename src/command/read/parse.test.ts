import { describe, expect, test } from 'vitest'
import { limits } from '../../base/limits.ts'
import type { ParsedCommand } from './catalogue.ts'
import { parseInput, parseSlash, type Part } from './parse.ts'

const message = (text: string): Part => ({ kind: 'message', text })
const note = (text: string): Part => ({ kind: 'note', text })
const command = (line: string, command: ParsedCommand): Part => ({ kind: 'command', command, line })
const mark = (name: string): Part => command(`/mark ${name}`, { name: 'mark', mark: name })
const clear = (name: string): Part => command(`/clear ${name}`, { name: 'clear', mark: name })
const fork = (name: string): Part =>
  command(`/fork ${name}`, { name: 'fork', mark: name, enter: false, goal: null, idle: null })
const kindsOf = (text: string): string[] => parseInput(text).map(({ kind }) => kind)

function sayOf(text: string): string {
  const [part, ...others] = parseInput(text)
  expect(others).toEqual([])
  expect(part?.kind).toBe('mistake')
  return part?.kind === 'mistake' ? part.say : ''
}

describe('a text whose first line is no command', () => {
  test.each([
    'hello',
    'hello\n/mark A',
    ' a\n\n  b',
    'a\r\n/clear\rb',
    'Say /mark A',
    '\n\nhello',
    '😀/mark',
  ])('is one message as typed: %j', (text) => expect(parseInput(text)).toEqual([message(text)]))

  test('loses the whitespace at its end only', () =>
    expect(parseInput('  hello \n\t\n ')).toEqual([message('  hello')]))

  test.each(['', ' ', '\n', ' \r\n\t\n'])('is nothing if there is nothing in it: %j', (text) =>
    expect(parseInput(text)).toEqual([]),
  )

  test.each([
    '/',
    '/ foo',
    '/\nfoo',
    '/etc/hosts is full',
    '/mark/ A',
    '/mark@bot/x',
    '    /mark A',
    '\t/mark A',
    '> /mark A',
    '// a comment',
    '//',
  ])('may begin with a slash that is none of a command: %j', (text) =>
    expect(parseInput(text)).toEqual([message(text)]),
  )

  test.each([
    ['//mark A', '/mark A'],
    ['  //mark A', '  /mark A'],
    ['\n//mark A', '\n/mark A'],
    ['//etc/hosts', '/etc/hosts'],
    ['///x', '//x'],
    ['//x\n//y\n/z', '/x\n//y\n/z'],
    ['    //code', '    //code'],
  ])('begins with a slash where two were typed: %j', (text, sent) =>
    expect(parseInput(text)).toEqual([message(sent)]),
  )
})

describe('a command', () => {
  test.each([
    '/mark A',
    '/Mark A',
    '/MARK A',
    '/mark@some_Bot1 A',
    ' /mark A',
    '   /mark   A  ',
    '/mark\u00A0A',
  ])('is read however a phone writes it: %j', (text) =>
    expect(parseInput(text)).toEqual([command(text.trim(), { name: 'mark', mark: 'A' })] satisfies Part[]),
  )

  test('may follow blank lines', () => expect(parseInput('\n \n/mark A\n')).toEqual([mark('A')]))

  test('keeps the case of its arguments', () => expect(parseInput('/mark Ab')).toEqual([mark('Ab')]))

  test.each([
    ['/check_mail', 'check-mail'],
    ['/checkmail', 'check-mail'],
    ['/mail', 'check-mail'],
    ['/Quit', 'exit'],
    ['/?', 'help'],
  ])('has other names: %s is /%s', (text, name) =>
    expect(parseInput(text)).toMatchObject([{ kind: 'command', command: { name }, line: text }]),
  )
})

describe('a text that begins with a command', () => {
  test('is read line by line', () =>
    expect(parseInput('/mark A\r\none\n\n  two\n\n/clear A\rthree\n')).toEqual([
      mark('A'),
      message('one\n\n  two'),
      clear('A'),
      message('three'),
    ]))

  test('has no message where it has no text', () =>
    expect(parseInput('/mark A\n\n \n/clear A\n\n')).toEqual([mark('A'), clear('A')]))

  test('unescapes every line of its text, as every line could be a command', () =>
    expect(parseInput('/mark A\n//mark B\ntext\n//clear\n    //code')).toEqual([
      mark('A'),
      message('/mark B\ntext\n/clear\n    //code'),
    ]))

  test('keeps the indentation of code, which would become a command without it', () =>
    expect(parseInput('/mark A\n\n    /clear\n/etc/hosts')).toEqual([
      mark('A'),
      message('    /clear\n/etc/hosts'),
    ]))

  test('goes on after a mistake', () =>
    expect(kindsOf('/mrak A\ntext\n/mark two words\n/mark B')).toEqual([
      'mistake',
      'message',
      'mistake',
      'command',
    ]))
})

describe('text between /mark and /fork', () => {
  test.each(['/fork A', '/fork A -- and be quick', '/Fork A'])('is a note for the child: %s', (line) =>
    expect(parseInput(`/mark A\none\ntwo\n${line}`)).toMatchObject([mark('A'), note('one\ntwo'), { line }]),
  )

  test.each([
    ['another name', '/mark A\ntext\n/fork B'],
    ['a name in another case', '/mark A\ntext\n/fork a'],
    ['no name', '/mark A\ntext\n/fork'],
    ['no name twice', '/mark\ntext\n/fork'],
    ['another command', '/mark A\ntext\n/undo\n/fork A'],
    ['a mistake', '/mark A\ntext\n/oops\n/fork A'],
    ['a clear', '/clear A\ntext\n/fork A'],
    ['the fork first', '/fork A\ntext\n/mark A'],
  ])('is a message with %s', (_, text) => expect(kindsOf(text)[1]).toBe('message'))

  test('is a note for each of several children, and a message after the last', () =>
    expect(kindsOf('/mark A\nx\n/fork A\nbetween\n/mark B\ny\n/fork B\nend').join(' ')).toBe(
      'command note command message command note command message',
    ))
})

describe('an unknown command', () => {
  test('is answered with the nearest one and the way to send it as text', () =>
    expect(parseInput('/mrak A')).toEqual([
      {
        kind: 'mistake',
        line: '/mrak A',
        say: `Unknown command '/mrak'. Did you mean /mark? To send it as text, begin with two slashes: //mrak`,
      },
    ]))

  test.each([
    ['/forks', '/fork'],
    ['/rewnd', '/rewind'],
    ['/CLAER', '/clear'],
    ['/chek-mail', '/check-mail'],
    ['/contxt', '/context'],
    ['/thinkin', '/thinking'],
    ['/new@bot-name', '/new'],
  ])('%s is taken for %s', (text, near) => expect(sayOf(text)).toContain(`. Did you mean ${near}? `))

  test.each(['/xyzzy', '/x', '/!', '/@bot', '/constructor', '/__proto__', '/zygote'])(
    '%s is near to none',
    (text) =>
      expect(sayOf(text)).toBe(
        `Unknown command '${text}'. /help lists the commands. To send it as text, begin with two slashes: /${text}`,
      ),
  )

  test('is quoted in short, and without what a terminal would obey', () => {
    expect(sayOf(`/${'a'.repeat(41)}`)).toContain(`'/${'a'.repeat(40)}…'`)
    expect(sayOf(`/${'😀'.repeat(500)}`)).toContain(`'/${'😀'.repeat(40)}…'`)
    expect(sayOf('/a\u001B[2J')).toContain(`'/a�[2J'`)
  })

  test('of five million letters is answered at once', () => {
    sayOf(`/${'a'.repeat(5_000_000)}`)
  })
})

describe('the walkthroughs of the design, pasted whole', () => {
  test('delegating gives a mark, a note and a fork', () =>
    expect(
      parseInput(`/mark RESEARCH
Investigate authentication approaches. Compare OAuth2, JWT, and session-based.
Report findings via /send when complete.
/fork RESEARCH
`),
    ).toEqual([
      mark('RESEARCH'),
      note(
        'Investigate authentication approaches. Compare OAuth2, JWT, and session-based.\nReport findings via /send when complete.',
      ),
      fork('RESEARCH'),
    ]))

  const parallel = `Parent:
> /mark AUTH_RESEARCH
> Research OAuth2 implementation patterns. Report via /send.
> /fork AUTH_RESEARCH
Forked. Child: abc123

> /mark SESSION_RESEARCH
> Research session-based auth patterns. Report via /send.
> /fork SESSION_RESEARCH
Forked. Child: def456

> [continues other work while children research]
> /check-mail`

  test('a screen with its prompts is a message', () =>
    expect(parseInput(parallel)).toEqual([message(parallel)]))

  test('what was typed on that screen gives two children and the mail', () => {
    const typed = parallel.split('\n').filter((line) => line.startsWith('> '))
    expect(parseInput(typed.map((line) => line.slice(2)).join('\n'))).toEqual([
      mark('AUTH_RESEARCH'),
      note('Research OAuth2 implementation patterns. Report via /send.'),
      fork('AUTH_RESEARCH'),
      mark('SESSION_RESEARCH'),
      note('Research session-based auth patterns. Report via /send.'),
      fork('SESSION_RESEARCH'),
      message('[continues other work while children research]'),
      command('/check-mail', { name: 'check-mail' }),
    ])
  })

  test('experimental work between a mark and a rewind is a message', () =>
    expect(parseInput('/mark CHECKPOINT\n[experimental work]\n/clear CHECKPOINT')).toEqual([
      mark('CHECKPOINT'),
      message('[experimental work]'),
      clear('CHECKPOINT'),
    ]))

  test('a goal between a mark and a fork is a note', () =>
    expect(parseInput('/mark TASK\n[goal description]\n/fork TASK')).toEqual([
      mark('TASK'),
      note('[goal description]'),
      fork('TASK'),
    ]))

  test('several marks and rewinds come in their order, remarks and all', () =>
    expect(
      parseInput(`/mark PHASE_1
[work]
/mark PHASE_2
[work]
/clear PHASE_2    # rewind to PHASE_2
/clear PHASE_1    # rewind further to PHASE_1`),
    ).toEqual([
      mark('PHASE_1'),
      message('[work]'),
      mark('PHASE_2'),
      message('[work]'),
      command('/clear PHASE_2    # rewind to PHASE_2', { name: 'clear', mark: 'PHASE_2' }),
      command('/clear PHASE_1    # rewind further to PHASE_1', { name: 'clear', mark: 'PHASE_1' }),
    ]))
})

describe('[CMD1] a command is bounded', () => {
  const full = `/note ${'é'.repeat((limits.commandBytesMax - '/note '.length) / 2)}`
  const more = `${full}x`

  test('at 64 kB, in bytes', () => {
    expect(kindsOf(full)).toEqual(['command'])
    expect(sayOf(more)).toBe(
      "This line begins with '/note' and is 64 kB long. A command has at most 64 kB, so nothing was done. To send it as text, begin with two slashes: //note",
    )
  })

  test.each([`/${'x'.repeat(limits.commandBytesMax)}`, `/x${' x'.repeat(limits.commandBytesMax)}`])(
    'whether or not such a command exists',
    (line) => expect(kindsOf(line)).toEqual(['mistake']),
  )

  test('on every line of a text, each by itself', () => {
    expect(kindsOf(`/mark A\n${more}`)).toEqual(['command', 'mistake'])
    expect(kindsOf(`${full}\n${full}\n${'x'.repeat(limits.commandBytesMax)}`)).toEqual([
      'command',
      'command',
      'message',
    ])
  })

  test.each([`/${more}`, `/usr${more}`, `Say ${more}`])('and a text is not', (text) =>
    expect(kindsOf(text)).toEqual(['message']),
  )

  test('for a model too', () => {
    expect(parseSlash('send', `child ${more}`).kind).toBe('mistake')
    expect(parseSlash('send', 'child hello').kind).toBe('command')
  })
})
