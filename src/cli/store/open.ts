import { spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { systemClock } from '../../base/clock.ts'
import { systemZone } from '../../base/environment.ts'
import { systemRandom } from '../../base/random.ts'
import { whenText } from '../../base/time-text.ts'
import { oneLine, tableRows } from '../../base/width.ts'
import { counted } from '../../base/words.ts'
import { OwnerRefusal, type OwnerClient } from '../../client/socket.ts'
import { Sessions } from '../../server/door/sessions.ts'
import { findBinary } from '../../tool/process/find-binary.ts'
import { CommandError, UsageError, type Command, type CommandCall } from '../frame/command.ts'
import { ownerOf } from '../talk/join.ts'

export const openCommand: Command = {
  name: 'open',
  summary: 'sign in a browser, and see which are signed in',
  usage: '[--list | --revoke ID] [--json]',
  details: `Prints a link to the page of 'mainstem serve', and opens it in a browser if there is one. The link signs in
one browser, once, within ten minutes; the browser then stays signed in for 30 days.

  --list        the browsers that are signed in
  --revoke ID   signs one of them out; 'all' signs out all of them, and ends unused links
  --json        as JSON`,
  run: async (call) => {
    const [isList, revoked] = [call.isSet('list'), call.text('revoke')]
    if (isList && revoked !== undefined) throw new UsageError('Use --list or --revoke, not both')
    const client = (await ownerOf(call.home, new AbortController().signal))?.client
    try {
      if (isList) return await list(call, sessionsOf(call, client))
      return await (revoked === undefined
        ? open(call, client)
        : revoke(call, sessionsOf(call, client), revoked))
    } catch (error) {
      throw error instanceof OwnerRefusal ? new CommandError(error.message) : error
    } finally {
      client?.close()
    }
  },
}

const NOBODY =
  "mainstem serve isn't running for this home. Start it, or have it always run: mainstem service install"

async function open(call: CommandCall, client: OwnerClient | undefined): Promise<number> {
  if (client === undefined) throw new CommandError(NOBODY)
  const link = await client.call<{ url: string; expiresAt: number }>('POST', '/api/links')
  const until = whenText(link.expiresAt, { now: systemClock(), zone: systemZone() })
  const isOpening = !call.isSet('json') && call.out.isTerminal && openBrowser(call, link.url)
  return call.print(link, () => [
    link.url,
    `It signs in one browser, once, until ${until}.${isOpening ? ' Your browser should show it now.' : ''}`,
  ])
}

/**
 * False: there is none to open. The browser is given a file of ours, which leads to the link: other users of this
 * machine can read the words that a program is started with.
 */
function openBrowser({ home, environment }: CommandCall, url: string): boolean {
  const isMac = process.platform === 'darwin'
  const hasScreen =
    isMac || environment['DISPLAY'] !== undefined || environment['WAYLAND_DISPLAY'] !== undefined
  const program = findBinary(isMac ? 'open' : 'xdg-open', environment['PATH'] ?? '')
  if (!hasScreen || program === undefined) return false
  const file = join(home, 'run', 'open.html')
  rmSync(file, { force: true })
  const text = `<!doctype html><meta http-equiv="refresh" content="0; url=${url}"><a href="${url}">Mainstem</a>\n`
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
  const child = spawn(program, [pathToFileURL(file).href], {
    env: environment,
    stdio: 'ignore',
    detached: true,
  })
  // It says so itself, and the link is printed.
  child.on('error', () => undefined).unref()
  return true
}

/** The sessions of the process that serves, or of its file where none does. */
function sessionsOf({ home }: CommandCall, client: OwnerClient | undefined) {
  if (client === undefined) {
    const file = new Sessions(home, { now: systemClock, random: systemRandom })
    // Links are kept by the server, and there is none.
    const revokeAll = async () => file.list().flatMap(({ id }) => (file.revoke(id) ? id : []))
    return { list: async () => file.list(), revoke: async (id: string) => void file.revoke(id), revokeAll }
  }
  return {
    list: async () => (await client.call<{ sessions: Listed[] }>('GET', PATH)).sessions,
    revoke: (id: string) => client.call<void>('DELETE', `${PATH}/${id}`),
    revokeAll: async () => (await client.call<{ revoked: string[] }>('DELETE', PATH)).revoked,
  }
}

const PATH = '/api/sessions'
type Listed = Omit<ReturnType<Sessions['list']>[number], 'digest'>

async function list(call: CommandCall, sessions: ReturnType<typeof sessionsOf>): Promise<number> {
  const views = (await sessions.list()).map(({ id, browser, signedInAt, seenAt }) => {
    return { id, browser, signedInAt, seenAt }
  })
  const place = { now: systemClock(), zone: systemZone() }
  const rows = views.map(({ id, browser, signedInAt, seenAt }) => [
    id,
    `since ${whenText(signedInAt, place)}`,
    `seen ${whenText(seenAt, place)}`,
    oneLine(browser),
  ])
  return call.print(views, () => (rows.length === 0 ? 'No browser is signed in.' : tableRows(rows)))
}

async function revoke(
  call: CommandCall,
  sessions: ReturnType<typeof sessionsOf>,
  word: string,
): Promise<number> {
  const revoked = word === 'all' ? await sessions.revokeAll() : [word]
  if (word !== 'all') {
    if ((await sessions.list()).every(({ id }) => id !== word))
      throw new CommandError(`There is no session '${word}'. 'mainstem open --list' lists them`)
    await sessions.revoke(word)
  }
  return call.print({ revoked }, () => `Signed out ${counted(revoked.length, 'browser')}.`)
}
