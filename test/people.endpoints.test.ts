import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { isOwners } from '../src/agent/state/person.ts'
import { seededRandom } from '../src/base/random.ts'
import { handleOf } from '../src/event/id.ts'
import { routesOf } from '../src/server/app.ts'
import type { Route } from '../src/server/contract/route.ts'
import { run } from './cli/run.ts'
import { confide, household, PEOPLE, SECRET, type Household } from './household.ts'
import { seeds } from './rounds.ts'
import { serving } from './server/stage.ts'

/** How often each address is asked, with other words each time. */
const TRIES = 16

/** What the owner could know of others, by the name of the word in an address. Whoever adds a name adds its words here. */
async function wordsOf({ life }: Household) {
  const events = await Array.fromAsync(life.log.events())
  const others = await life.log.read((reader) => events.filter(({ branch }) => !isOwners(reader, branch)))
  const branches = [...new Set(others.map(({ branch }) => branch))]
  const positions = others.map(({ position }) => `${position}`)
  const times = others.map(({ at }) => at)
  const turns = others.flatMap((event) => (event.kind === 'turn-started' ? event.turn : []))
  const moments = [Math.min(...times) - 1, Math.max(...times) + 1].map(String)
  return {
    after: ['0', ...positions],
    asked: ['', positions[0] ?? ''],
    because: ['budget'],
    before: positions,
    branch: branches.flatMap((id) => [id, handleOf(id), handleOf(id).slice(0, 4)]),
    by: ['me', 'you', 'ana', 'ben', 'team'],
    call: ['1', '2'],
    days: ['30'],
    decision: ['sent', 'refused'],
    ended: ['shown'],
    file: ['routines/brief.md', '../people/ana/routines/brief.md', '../people/ben/notes.md'],
    folder: ['/', '.'],
    from: [...turns, ...moments, '1', 'last'],
    grep: ['zq', 'hide'],
    hash: others
      .flatMap((event) => ('files' in event ? (event.files ?? []) : []))
      .map(({ hash }) => hash ?? ''),
    hours: ['48'],
    id: ['brief', 'ana/brief', 'screen'],
    kind: ['routine', 'reminder', 'message-added', 'inbound-admitted', 'delivery-intended', 'call-decided'],
    label: ['standing'],
    limit: ['50', '200', '1000'],
    line: ['/', '/switch ', '/rewind ', '/reply ', '/kill ', '/done ', '/reminders cancel ', '/todo done '],
    name: ['notes.md'],
    part: ['system', 'memory', 'messages'],
    pixels: ['800'],
    position: positions,
    q: ['hide everybody', 'aside', 'zqanamessageeno', 'zqbentodoeno', 'zqteamnoteeno'],
    run: branches,
    said: ['0'],
    shown: ['0'],
    since: ['1d'],
    thread: ['program'],
    to: [...turns, ...moments, 'last'],
    turn: [...turns, ...turns.map((turn) => turn.slice(-6)), '1', 'last', 'now'],
    until: ['1m'],
    which: ['all'],
    who: ['ana', 'owner', 'all'],
  } satisfies Record<string, readonly string[]>
}

type Words = Readonly<Record<string, readonly string[]>>
type Acts = Readonly<Record<string, readonly object[] | string>>

function typed(text: string): object {
  return { key: text.slice(0, 90), text }
}

/** What is sent to each address that acts; or why it is not tried. Whoever adds an address adds what is sent there. */
function actsOn({ branch = [], hash = [], position = [], file = [] }: Words): Acts {
  const lines = branch.slice(0, 6).flatMap((id) => [`/switch ${id}`, `/kill ${id}`, `/send ${id} hi`])
  return {
    'POST /api/owner/hand-over': 'it ends the server',
    'POST /api/runs': file.map((path) => ({ run: branch[0], file: path, text: 'Look.' })),
    'DELETE /api/runs/:run': [{}],
    'POST /api/updates': [{ key: 'k', text: 'news', source: 'a test' }],
    'POST /api/grants': [{ tools: [{ name: 'write' }] }],
    'POST /api/typed': [{ seat: 'screen', ...typed('/agents all') }],
    'POST /api/chat/:id/shown': position.slice(0, 4).map((id) => ({ id: Number(id) })),
    'POST /hook/:id': [{}],
    'POST /api/lines': lines.map((text) => ({ thread: 'program', say: typed(text) })),
    'POST /api/say': [
      ...lines.map(typed),
      ...branch.slice(0, 6).map((id) => ({ ...typed(`hi ${id}`), branch: id })),
      ...hash.map((one) => ({ ...typed(`look ${one}`), files: [{ hash: one, name: 'a.txt' }] })),
      ...position.slice(0, 40).map((at) => ({ ...typed(`why ${at}`), replyTo: Number(at) })),
    ],
    'DELETE /api/queued/:position': [{}],
    'POST /api/files': [{}],
    'POST /api/job-file/check': file.map((path) => ({ file: path, text: '---\nfor: ana\n---\nx' })),
    'POST /api/job-file': file.map((path) => ({ file: path, before: 'x', after: null })),
    'POST /api/memory': [{ text: 'x', version: 'x' }],
    'POST /api/todos': [{ action: 'done', item: 1, was: 'zqana' }],
    'POST /api/config': [{ key: 'telegram.token', text: 'x' }],
    'POST /api/models/test': [{ model: 'offline' }],
    'POST /v1/chat/completions': [
      { model: 'mainstem', messages: [{ role: 'user', content: 'What did Ana and Ben hide?' }] },
    ],
    'POST /api/links': [{}],
    'POST /api/sign-in': [{ code: 'x' }],
    'POST /api/sign-out': [{}],
    'DELETE /api/sessions': [{}],
    'DELETE /api/sessions/:id': [{}],
  }
}

test.each(seeds(10))(
  '[PEOPLE2] no endpoint tells the owner what others said, wrote or were told (seed %i)',
  async (seed) => {
    const random = seededRandom(seed)
    const at = await household()
    for (const who of PEOPLE) await confide(at, who)
    const words: Words = await wordsOf(at)
    await at.close()
    const routes = routesOf({} as never)
    const acts = actsOn(words)
    const named = routes.flatMap((route) => [...namesIn(route.path), ...queryOf(route)])
    expect([...new Set(named)].filter((name) => words[name] === undefined)).toEqual([])
    expect(
      routes
        .filter(({ method }) => method !== 'GET')
        .map(addressOf)
        .toSorted(),
    ).toEqual(Object.keys(acts).toSorted())
    const { socket } = await serving({ home: at.home, settings: { MODEL: 'offline' } })
    const pick = (name: string): string => words[name]?.[random() % words[name].length] ?? ''
    const [leaks, telling] = [new Set<string>(), new Set<string>()]
    const tell = async (route: Route, body?: object): Promise<void> => {
      const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(pick(name)))
      const query = queryOf(route).flatMap((name) => (random() % 3 > 0 ? [[name, pick(name)] as const] : []))
      const sent = {
        method: route.method,
        path: `${path}?${new URLSearchParams(Object.fromEntries(query)).toString()}`,
      }
      for (const [word, whose] of (await ask(socket, sent, body)).matchAll(SECRET))
        if (whose === 'owner') telling.add(addressOf(route))
        else if (!isAsked(word)) leaks.add(`${addressOf(route)} ${word}`)
    }
    for (const route of routes.filter(({ method }) => method === 'GET'))
      for (let n = 0; n < (isFixed(route) ? 1 : TRIES); n++) await tell(route)
    for (const route of routes) {
      const bodies = acts[addressOf(route)] ?? []
      if (typeof bodies !== 'string') for (const body of bodies) await tell(route, body)
    }
    expect([...leaks].toSorted()).toEqual([])
    // What is the owner's own was there to be found.
    expect(telling.size).toBeGreaterThan(10)
  },
)

/** What is typed in a shell to learn of others; or why a command is not tried. Whoever adds a command adds it here. */
function shellLines({
  branch = [],
  turn = [],
  file = [],
}: Words): Readonly<Record<string, readonly string[] | string>> {
  const [some, turns] = [branch.slice(0, 12), turn.slice(0, 12)]
  return {
    tour: 'it has a log of its own',
    status: ['', '--json'],
    context: [
      ...some.flatMap((id) => [`--branch ${id}`, `--branch ${id} --turn last --raw`]),
      ...turns.map((id) => `--turn ${id} --json`),
      `--turn last --diff ${turn[0] ?? ''}`,
    ],
    agents: ['', '--json'],
    log: ['', '--json', '--grep zq', '--kind message-added', ...some.map((id) => `--branch ${id}`)],
    recall: ['hide everybody', 'zqanamessageeno --json', 'aside --limit 50'],
    updates: ['', 'all', '--json'],
    run: file,
    routine: ['list', 'show brief', 'list --json'],
    reminder: ['list', 'list --json'],
    webhook: ['list'],
    serve: 'it shows what comes to the terminal, as the stream does',
    todo: ['', 'list --all', '--json'],
    'ping-budget': ['', 'why', 'why --json', '--for ana', 'why --for ana', 'why --for ben --json'],
    config: ['list', 'path'],
    models: 'it shows nothing of the log',
    skills: ['list'],
    mcp: 'it speaks with a program',
    pair: ['', '--json'],
    people: ['', '--json'],
    service: 'it shows nothing of the log',
    open: 'it needs a server',
    export: 'a backup has everything',
    import: 'it needs an empty home',
    doctor: ['', '--json'],
  }
}

test('[PEOPLE2] no command in a shell tells the owner what others said, wrote or were told', async () => {
  const at = await household()
  for (const who of PEOPLE) await confide(at, who)
  const words = await wordsOf(at)
  await at.close()
  const lines = shellLines(words)
  const { out: help } = await run(['--help'], { home: at.home })
  const listed = Array.from(
    help.matchAll(/^ {4}(?:look|jobs|set up|data) +(.*)$/gm),
    ([, names = '']) => names,
  )
  expect(listed.join(' ').split(' ').toSorted()).toEqual(Object.keys(lines).toSorted())
  const leaks = new Set<string>()
  for (const [command, tried] of Object.entries(lines))
    for (const line of typeof tried === 'string' ? [] : tried) {
      const { out, err } = await run([command, ...line.split(' ').filter(Boolean)], { home: at.home })
      for (const [word, whose] of `${out}${err}`.matchAll(SECRET))
        if (whose !== 'owner' && !isAsked(word)) leaks.add(`${command} ${line}: ${word}`)
    }
  expect([...leaks].toSorted()).toEqual([])
})

/** A guest's routine is the owner's to approve, who sees what would be written. */
function isAsked(word: string): boolean {
  return word.endsWith('routineend')
}

function addressOf({ method, path }: Route): string {
  return `${method} ${path}`
}

function namesIn(path: string): string[] {
  return Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => name)
}

function queryOf({ query }: Route): string[] {
  return Object.keys(query?.shape ?? {})
}

function isFixed(route: Route): boolean {
  return namesIn(route.path).length === 0 && queryOf(route).length === 0
}

/** A stream never ends: after so much quiet there is nothing more of what was before. */
const QUIET_MS = 150

/** All of an answer, over the socket, where everything is allowed. */
async function ask(
  socketPath: string,
  sent: { readonly method: string; readonly path: string },
  body?: object,
): Promise<string> {
  const headers = { host: 'localhost', ...(body && { 'content-type': 'application/json' }) }
  const asked = request({ socketPath, ...sent, headers, agent: false })
  asked.end(body && JSON.stringify(body))
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  let text = ''
  response.on('data', (bytes: Buffer) => void (text += bytes.toString()))
  if (/event-stream/.test(response.headers['content-type'] ?? ''))
    response.setTimeout(QUIET_MS, () => response.destroy())
  await once(response, 'close')
  return text
}
