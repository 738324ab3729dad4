import { describe, expect, test } from 'vitest'
import { keys, settings } from '../../config/table/settings.ts'
import { origins, type Origin } from '../../event/speaker.ts'
import { catalogue, commandNamed, type ParsedCommand } from './catalogue.ts'
import { parseInput } from './parse.ts'
import { may, refusedHere } from './rights.ts'

function parsed(line: string): ParsedCommand {
  const [part] = parseInput(line)
  if (part?.kind !== 'command') throw new Error(`${line} is no command`)
  return part.command
}

const refusedTo = (origin: Origin, lines: readonly string[]): readonly string[] =>
  lines.filter((line) => !may(origin, { command: parsed(line) }))

/** Each command as its help shows it, and each form that loosens something. */
const lines = [
  ...catalogue.map(({ example }) => example),
  '/allow',
  '/model',
  '/pair',
  '/permissions',
  '/skills',
  '/pair refuse ABCD-EFGH',
  '/pair approve ABCD-EFGH me',
  '/permissions bypassPermissions',
  '/model scripted:/etc/passwd',
]

const MACHINE = ['/attach ~/Desktop/bill.pdf What do I owe?', '/model scripted:/etc/passwd']
const LOOSENS = ['/pair approve ABCD-EFGH me', '/permissions bypassPermissions']
const DECIDED = [
  '/approve 3 always',
  '/allow web_fetch(https://example.com/*)',
  '/permissions default',
  '/skills allow git',
  '/pair approve ABCD-EFGH Ana',
  '/model anthropic/claude-sonnet-4-5',
  '/pair refuse ABCD-EFGH',
]
const MODELS = new Set(['check-mail', 'clear', 'exit', 'fork', 'kill', 'mark', 'report', 'save', 'send'])
const NOBODY = ['token', 'hook', 'import'] as const

describe('[RIGHT1] of commands', () => {
  const expected: Readonly<Record<Origin, readonly string[]>> = {
    terminal: [],
    program: [...MACHINE, ...LOOSENS, ...DECIDED],
    'program --yes': [],
    page: [...MACHINE, ...LOOSENS],
    phone: [...MACHINE, ...LOOSENS],
    editor: [...MACHINE, ...LOOSENS],
    operator: MACHINE,
    token: lines,
    hook: lines,
    import: lines,
    model: lines.filter((line) => !MODELS.has(parsed(line).name)),
  }

  test.each(origins)('[RIGHT1] every command, from the origin %s', (origin) => {
    expect(refusedTo(origin, lines).toSorted()).toEqual([...new Set(expected[origin])].toSorted())
  })

  test('in another spelling it is the same one', () => {
    const spelled = [
      '/permissions BYPASSPERMISSIONS',
      '/Permissions  bypasspermissions ',
      '/pair approve x ME',
    ]
    expect(refusedTo('page', spelled)).toEqual(spelled)
    expect(refusedTo('program', ['/PAIR Approve ABCD-EFGH mE'])).toHaveLength(1)
  })

  test('a command without a row is nobody’s', () => {
    const command = { name: 'sudo' } as unknown as ParsedCommand
    expect(origins.filter((origin) => may(origin, { command }))).toEqual([])
    expect(commandNamed('sudo')).toBe(undefined)
  })
})

const TERMINAL_ONLY = new Set<string>([
  'host',
  'keyStore',
  'links',
  'mcp.servers',
  'openaiCompatible.url',
  'publicUrl',
  'sandbox',
  'skills.allowScripts',
  'skills.directory',
  'skills.extraDirs',
  'skills.roots',
  'telegram.token',
  'telegram.url',
  'token',
  'transcriber.folders',
  'transcriber.network',
  'transcriber.program',
  'transcriber.url',
  'trustedProxies',
  'urls.anthropic',
  'urls.google',
  'urls.ollama',
  'urls.openai',
  'urls.openrouter',
  'web.openHosts',
  'web.privateHosts',
  'web.searchProvider',
  'web.searchUrl',
])
const PATHS = new Set<string>([
  'mcp.servers',
  'skills.directory',
  'skills.extraDirs',
  'skills.roots',
  'transcriber.folders',
  'transcriber.program',
])
/** What commands change in a chat app. */
const ANYWHERE = [
  'model',
  'permissions',
  'pingCapacity',
  'pingRefillMinutes',
  'pings.to',
  'thinking',
  'timezone',
]

describe('[RIGHT1] of settings', () => {
  const inHand = keys.filter((key) => !TERMINAL_ONLY.has(key))
  const expected: Readonly<Record<Origin, readonly string[]>> = {
    terminal: keys,
    'program --yes': keys,
    operator: keys.filter((key) => !PATHS.has(key)),
    program: inHand,
    page: inHand,
    phone: ANYWHERE,
    editor: ANYWHERE,
    token: [],
    hook: [],
    import: [],
    model: [],
  }

  test.each(origins)('[RIGHT1] every setting, from the origin %s', (origin) => {
    const sets = keys.filter((key) => may(origin, { key, json: settings[key].default as null }))
    expect(sets.toSorted()).toEqual([...expected[origin]].toSorted())
    const removes = keys.filter((key) => may(origin, { key, json: undefined }))
    expect(removes).toEqual(sets)
  })

  test.each([
    ['permissions', ' bypassPermissions'],
    ['permissions', 'bypassPermissions\n'],
    ['model', ' scripted:/etc/passwd'],
    ['fallbackModels', 'offline, scripted:/etc/passwd'],
    ['embedder', ' openai/text-embedding-3-small'],
  ] as const)('%s is judged by what it would be: %j', (key, json) => {
    for (const origin of ['page', 'phone', 'program', 'model', ...NOBODY] as const)
      expect({ origin, is: may(origin, { key, json }) }).toEqual({ origin, is: false })
    expect(may('terminal', { key, json })).toBe(true)
  })

  test('a refusal names the place where it may be done', () => {
    const asked = { key: 'links', json: ['telegram:666'] } as const
    expect(refusedHere('page', asked)).toBe(
      'Setting links is not possible on the page. Type it in a terminal: mainstem config set links VALUE',
    )
    expect(refusedHere('program', asked)).toContain('--yes')
    expect(refusedHere('phone', { command: parsed('/permissions bypasspermissions') })).toBe(
      '/permissions bypassPermissions is not possible in a chat app. Type it in a terminal: mainstem config set permissions bypassPermissions',
    )
    expect(refusedHere('terminal', asked)).toBe(undefined)
  })
})
