import { describe, expect, test } from 'vitest'
import { catalogue } from './catalogue.ts'
import { complete, type Choice, type Known } from './complete.ts'

const marks = ['TASK', 'task_2', 'Before'].map((word): Choice => ({ word, help: `mark ${word}` }))
const branches = ['main', 'k3f9ab', 'k3zzzz'].map((word): Choice => ({ word, help: `branch ${word}` }))
const tools = ['read', 'web_fetch'].map((word): Choice => ({ word, help: 'tool' }))
const grants = ['write(notes/*)'].map((word): Choice => ({ word, help: 'allowed' }))
const numbers = [{ word: '12', help: 'routine brief: The build is red.' }]
const jobs = ['brief', 'build'].map((word): Choice => ({ word, help: `routine: ${word}` }))
const known: Known = {
  MARK: marks,
  ID: branches,
  TOOL: tools,
  GRANT: grants,
  NUMBER: numbers,
  MODEL: [{ word: 'offline', help: 'fixed rules' }],
  FILE: ['jobs/brief.md', 'routines/build.md'].map((word) => ({ word, help: `what ${word} does` })),
  JOB: jobs,
  ROUTINE: jobs.slice(0, 1),
  REMINDER: [],
}
const linesFor = (line: string): string[] => complete(line, known).map(({ line }) => line)

describe('completion of a name', () => {
  test('offers all commands after a slash, in the order of the help', () =>
    expect(linesFor('/').map((line) => line.trim())).toEqual(catalogue.map(({ name }) => `/${name}`)))

  test.each([
    [
      '/re',
      [
        '/rewind ',
        '/redo',
        '/recall ',
        '/retry',
        '/report ',
        '/reply ',
        '/remember ',
        '/reminders ',
        '/resume ',
        '/reload',
      ],
    ],
    [
      '/RE',
      [
        '/rewind ',
        '/redo',
        '/recall ',
        '/retry',
        '/report ',
        '/reply ',
        '/remember ',
        '/reminders ',
        '/resume ',
        '/reload',
      ],
    ],
    ['  /un', ['  /undo']],
    ['/ma', ['/mark ', '/mail']],
    ['/check', ['/check-mail']],
    ['/qu', ['/quit']],
    ['/mark', ['/mark ']],
    ['/mrak', ['/mark ']],
    ['/undo', ['/undo']],
    ['/q', ['/quit']],
  ])('%s', (line, lines) => expect(linesFor(line)).toEqual(lines))

  test.each(['/x', '/xyzzy', 'mark', '', '//ma', '/etc/ho', '    /ma', '> /ma', 'a\n/ma', '/mark\n'])(
    'has nothing for %j',
    (line) => expect(linesFor(line)).toEqual([]),
  )

  test('says how the command is used', () =>
    expect(complete('/rew', known)).toEqual([
      { line: '/rewind ', label: '/rewind [MARK]', help: 'rewind to MARK, or to the newest mark' },
    ]))

  test('shows another name as that name', () => expect(complete('/qu', known)[0]?.label).toBe('/quit'))
})

describe('completion of an argument', () => {
  test.each([
    ['/clear ', ['/clear TASK', '/clear task_2', '/clear Before']],
    ['/rewind t', ['/rewind task_2']],
    ['/rewind TASK', ['/rewind TASK']],
    ['/Rewind@bot  T', ['/Rewind@bot  TASK']],
    ['/clear TASK_', ['/clear task_2']],
    ['/fork b', ['/fork Before']],
    ['/fork -', ['/fork --enter']],
    ['/fork ', ['/fork TASK', '/fork task_2', '/fork Before', '/fork --enter']],
    ['/switch ', ['/switch main', '/switch k3f9ab', '/switch k3zzzz']],
    ['/send k3f', ['/send k3f9ab ']],
    ['/kill K3', ['/kill k3f9ab', '/kill k3zzzz']],
    [
      '/help re',
      [
        'rewind',
        'redo',
        'recall',
        'retry',
        'report',
        'reply',
        'remember',
        'reminders',
        'resume',
        'reload',
      ].map((name) => `/help ${name}`),
    ],
    ['/allow w', ['/allow web_fetch']],
    ['/tools ', ['/tools read', '/tools web_fetch']],
    ['/disallow ', ['/disallow write(notes/*)']],
    ['/thinking ', ['/thinking off', '/thinking adaptive']],
    ['/cost ', ['/cost allow']],
    ['/agents a', ['/agents all']],
    ['/model o', ['/model offline']],
    ['/run j', ['/run jobs/brief.md']],
    ['/run ', ['/run jobs/brief.md', '/run routines/build.md']],
    ['/pause b', ['/pause brief', '/pause build']],
    ['/resume ', ['/resume all', '/resume brief', '/resume build']],
    ['/routines ', ['/routines brief', '/routines cancel brief']],
    ['/routines cancel b', ['/routines cancel brief']],
    ['/reminders ', []],
    ['/ping-budget more bu', ['/ping-budget more build']],
    ['/context policy e', ['/context policy explicit']],
    ['/todo a', ['/todo add ', '/todo all']],
  ])('%s', (line, lines) => expect(linesFor(line)).toEqual(lines))

  test.each(['/mark ', '/clear TASK ', '/send k3f9ab h', '/undo ', '/mrak T', '/kill x', '/fork -- T'])(
    'has nothing for %j',
    (line) => expect(linesFor(line)).toEqual([]),
  )

  test('is the number of a message behind /reply, and more is expected', () =>
    expect(linesFor('/reply ')).toEqual(['/reply 12 ']))

  test.each(['done', 'snooze', 'less'])('is the number of a message behind /%s', (name) =>
    expect(linesFor(`/${name} `)).toEqual([`/${name} 12`]),
  )

  test('describes each word of a command differently', () => {
    for (const { name } of catalogue) {
      const helps = complete(`/${name} `, known).filter(({ label }) => !label.startsWith('cancel '))
      if (!['allow', 'tools'].includes(name))
        expect(new Set(helps.map(({ help }) => help)).size).toBe(helps.length)
    }
  })

  test('says what is known of it', () =>
    expect(complete('/kill main', { ...known, ID: [{ word: 'main2', help: 'idle' }] })).toEqual([
      { line: '/kill main2', label: 'main2', help: 'idle' },
    ]))
})
