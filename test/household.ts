import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { personIn } from '../src/agent/state/person.ts'
import type { JsonObject } from '../src/base/json.ts'
import type { Channel, Door } from '../src/channel/channel.ts'
import { systemEnvironment } from '../src/config/table/source.ts'
import { branchesByHandle } from '../src/context/branch.ts'
import type { EventOf, Kind } from '../src/event/event.ts'
import type { BranchId } from '../src/event/id.ts'
import { openLife } from '../src/runtime/life/life.ts'
import { terminalAddress } from '../src/runtime/terminal/place.ts'
import { tempFolder } from './cli/run.ts'
import { startModelServer, type SeenRequest, type Turn } from './stand-ins/model-server.ts'

export const PEOPLE = ['owner', 'ana', 'ben', 'team'] as const
export type Who = (typeof PEOPLE)[number]

/** A word that only this person knows. */
export const secret = (who: Who, place: string): string => `zq${who}${place}end`
/** Nearly the same word, which nobody said before: the index knows what it is nearest to. */
export const typo = (who: Who, place: string, by: Who): string => `zq${who}${place}en${by.charAt(0)}`
export const SECRET = /zq(owner|ana|ben|team)[a-z]+end/g

/** Calls the tool that the last message asks for, and otherwise says ok. */
function obedient({ body }: SeenRequest): Turn {
  const messages = body.messages as { role: string; content: unknown }[]
  const last = messages.findLastIndex(({ role }) => role !== 'user')
  const asked = messages[last]?.role === 'tool' ? [] : messages.slice(last + 1)
  const call = asked
    .map(({ content }) => /CALL (\S+) (\{.*\})/.exec(JSON.stringify(content)))
    .findLast(Boolean)
  if (call === undefined || call === null) return { blocks: [{ text: 'ok' }] }
  const args = JSON.parse(`"${call[2] ?? ''}"`) as string
  return { blocks: [{ call: call[1] ?? '', id: `call${messages.length}`, args }], finish: 'calls' }
}

/** The whole program, an owner at the terminal, two guests and a group in a chat app. */
export async function household(settings: Readonly<Record<string, string>> = {}) {
  const home = join(tempFolder(), 'home')
  const at = await living(home, settings)
  for (const guest of ['ana', 'ben']) {
    await at.arrive(guest, 'hello')
    const code = (await at.events('pairing-asked')).at(-1)?.code ?? ''
    await at.say('owner', `/pair approve ${code} ${guest}`)
  }
  await at.say('team', 'hello')
  return at
}

export async function living(
  home: string,
  settings: Readonly<Record<string, string>> = {},
  schedules = false,
) {
  const provider = await startModelServer(obedient)
  const doors = new Map<string, Door>()
  const channelOf = (name: string): Channel => ({
    name,
    canAsk: true,
    start: async (door) => void doors.set(name, door),
    stop: async () => undefined,
    send: async ({ id }) => String(id),
  })
  const failures: unknown[] = []
  const life = await openLife({
    home,
    command: 'test',
    environment: systemEnvironment(),
    flags: {
      model: 'openai-compatible/stand-in',
      'openaiCompatible.url': `${provider.url}/v1`,
      maxRetries: '0',
      // Otherwise much of what guests try would wait.
      rateLimitMax: '100000',
      ...settings,
    },
    channels: [channelOf('terminal'), channelOf('chat')],
    conversation: terminalAddress,
    schedules,
    warn: () => undefined,
    fail: (error) => failures.push(error),
  })
  let isClosed = false
  const close = async (): Promise<void> => {
    if (isClosed) return
    isClosed = true
    await life.close()
    await provider.close()
  }
  onTestFinished(close)
  let messages = 0
  const settle = async (): Promise<void> => {
    await life.agent.settled()
    if (failures.length > 0) throw failures[0]
  }
  const arrive = async (user: string, text: string, more: object = {}): Promise<void> => {
    const messageId = `m${++messages}`
    const sender = { channel: 'chat', conversation: user, user, userName: user }
    await doors.get('chat')?.arrive({ ...sender, messageId, text, ...more })
  }
  const say = async (who: Who, text: string): Promise<void> => {
    if (who === 'owner')
      await life.receive({
        ...terminalAddress,
        origin: 'terminal',
        person: 'owner',
        messageId: `m${++messages}`,
        text,
      })
    else if (who === 'team')
      await arrive('ana', text, { conversation: 'team', group: { title: 'Team', isForUs: true } })
    else await arrive(who, text)
    await settle()
  }
  const call = (who: Who, tool: string, args: JsonObject): Promise<void> =>
    say(who, `CALL ${tool} ${JSON.stringify(args)}`)
  const events = async <K extends Kind>(kind: K): Promise<EventOf<K>[]> =>
    (await Array.fromAsync(life.log.events({ kind }))) as EventOf<K>[]
  return { home, life, say, call, arrive, settle, events, close }
}

export type Household = Awaited<ReturnType<typeof household>>

/** Puts a secret of this person into every place that has any. */
export async function confide({ say, call, arrive, settle }: Household, who: Who): Promise<void> {
  const of = (place: string): string => secret(who, place)
  await say(who, `I hide ${of('message')} from everybody.`)
  if (who === 'ana' || who === 'ben') {
    const bytes = Buffer.from(`A list with ${of('document')}.`)
    const file = {
      kind: 'document',
      name: `${of('filename')}.txt`,
      size: bytes.length,
      fetch: async () => bytes,
    }
    await arrive(who, 'Keep this list.', { files: [file] })
    await settle()
  }
  await say(who, `/note ${of('note')}`)
  if (who !== 'team') await say(who, `/remember ${of('memory')}`)
  await say(who, `/todo add ${of('todo')}`)
  await call(who, 'add_reminder', { text: of('reminder'), when: 'in 3 days', description: of('short') })
  await call(who, 'write', { path: 'notes.md', content: of('file') })
  await call(who, 'write', {
    path: 'routines/brief.md',
    content: `---\ncron: 0 9 * * *\n---\n${of('routine')}`,
  })
  await call(who, 'remember', { line: of('proposal') })
  await call(who, 'ping_user', { message: of('ping') })
  await call(who, 'slash', { command: 'fork', args: `-- ${of('goal')}` })
  await say(who, `/mark ${of('mark')}`)
  await say(who, `/fork --enter -- ${of('topic')}`)
  await say(who, `Aside: ${of('aside')}.`)
  await say(who, `/report ${of('report')}`)
}

export async function branchesOf(
  { life }: Household,
  isTheirs: (person: string) => boolean,
): Promise<BranchId[]> {
  return life.log.read((reader) =>
    branchesByHandle(reader, '', 1_000).filter((id) => isTheirs(personIn(reader, id))),
  )
}
