import { describe, expect, test } from 'vitest'
import { catalogue, commandNamed } from './catalogue.ts'
import { helpText } from './help-text.ts'
import { parseInput } from './parse.ts'

const COLUMNS_MAX = 78
const words: readonly string[] = catalogue.flatMap(({ name, aliases }) => [name, ...aliases])

/** The commands that a topic lists. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/^ {2}\/([\w-]+)/gm)].map(([, name = '']) => name)
}

describe('the catalogue', () => {
  test('has each word once', () => expect(new Set(words).size).toBe(words.length))

  test.each(words)('/%s can be typed', (word) => {
    expect(word).toMatch(/^[^\s/@A-Z]+$/)
    expect(parseInput(`/${word}`)[0]).not.toMatchObject({ say: expect.stringContaining('Unknown') })
  })

  test.each(catalogue.map(({ name, example }) => [name, example] as const))(
    'the example of /%s is that command: %s',
    (name, example) =>
      expect(parseInput(example)).toMatchObject([{ kind: 'command', command: { name }, line: example }]),
  )

  test.each([
    ['step-end', ['mark', 'note', 'check-mail']],
    ['turn-end', 'clear rewind undo redo new compact expand retry edit save report reload'.split(' ')],
  ] as const)('what waits for a %s', (when, names) =>
    expect(catalogue.filter((entry) => entry.when === when).map(({ name }) => name)).toEqual(names),
  )

  test('looks names up as they are, not as properties of objects', () => {
    expect(commandNamed('toString')).toBeUndefined()
    expect(commandNamed('KILL')?.name).toBe('kill')
  })
})

describe('help', () => {
  const topics = ['talk', 'forks', 'rights', 'jobs', 'settings']

  test('lists every command on one screen, and those of a topic with a line each', () => {
    const text = helpText()
    expect(text.split('\n').length).toBeLessThanOrEqual(24)
    const names = [...text.matchAll(/(?<=^ {12}.*)\/([\w-]+)/gm)].map(([, name]) => name)
    expect(names).toEqual(catalogue.map(({ name }) => name))
    expect(topics.flatMap((topic) => namesIn(helpText(topic)))).toEqual(names)
    expect(namesIn(helpText('forks'))).toEqual(
      'fork save report exit switch agents kill send check-mail run updates reply'.split(' '),
    )
  })

  test.each([undefined, ...topics, ...words])('fits into 78 columns: %s', (word) => {
    const wide = helpText(word)
      .split('\n')
      .filter((line) => line.length > COLUMNS_MAX)
    expect(wide).toEqual([])
  })

  test('of one command gives its forms, its other names, what it waits for and an example', () => {
    expect(helpText('fork')).toMatch(
      /^\/fork \[MARK] \[-- GOAL]\n\/fork \[MARK] --enter \[--at POSITION] \[--idle MINUTES] \[-- TOPIC]\n\n/,
    )
    expect(helpText('/Mail').split('\n')).toEqual([
      '/check-mail',
      '',
      'Shows the unread messages, oldest first, marks them as read, and adds them to',
      'the context as notes, so that the model knows them too. During a turn it waits',
      'for the end of the current step.',
      'Also: /check_mail, /checkmail, /mail',
      '',
      'Example: /check-mail',
    ])
    expect(helpText('clear').replaceAll('\n', ' ')).toContain(
      'During a turn it waits for the end of the turn; /stop',
    )
    expect(helpText('agents')).not.toContain('waits')
  })

  test.each([
    ['mrak', `Unknown command '/mrak'. Did you mean /mark? /help lists the commands.`],
    ['/xyzzy', `Unknown command '/xyzzy'. /help lists the commands.`],
  ])('of no command helps to find one: %s', (word, text) => expect(helpText(word)).toBe(text))
})
