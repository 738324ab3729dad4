import { resolve } from 'node:path'
import { meantText, nearest } from '../../base/nearest.ts'
import { tableRows } from '../../base/width.ts'
import { unreachable } from '../../base/assert.ts'
import type { JsonObject } from '../../base/json.ts'
import { readConfig, rightValues } from '../../config/config.ts'
import { serversProblem } from '../../config/type/server-problem.ts'
import { serverWords } from '../../config/type/server-words.ts'
import { configFile, type Place, sourceText } from '../../config/table/source.ts'
import type { ServerEntry } from '../../config/type/tool-type.ts'
import { type Change, hasEntryInFile, setEntryInFile, unsetInFile } from '../../config/write.ts'
import { CommandError, UsageError, type CommandCall } from '../frame/command.ts'
import { requireRight } from './config.ts'

const KEY = 'mcp.servers'

export const ADD_USAGE =
  "add NAME [--env NAME=VALUE]… [--folder DIR]… [--network] -- COMMAND [ARGS…] | add NAME URL [--header 'Name: VALUE']…"

/** `mainstem mcp add NAME …`: writes the server into config.json. */
export function addServer(call: CommandCall, [name = '', ...words]: readonly string[]): number {
  if (words.length === 0) throw new UsageError(`Usage: mainstem mcp ${ADD_USAGE}`)
  const entry = entryOf(call, words)
  const problem = serversProblem({ [name]: entry })
  if (problem !== undefined) throw new UsageError(`The server was not added: ${problem}`)
  requireRight(call, KEY, { [name]: entry })
  const isThere = hasEntryInFile(call, KEY, name)
  if (isThere && !call.isSet('replace')) {
    const present = rightValues(call).mcp.servers[name]
    const what = present === undefined ? 'one that is wrong' : serverWords(present)
    throw new CommandError(`There is a server ${name} already: ${what}. --replace replaces it`)
  }
  const change = setEntryInFile(call, KEY, { name, json: entry })
  if (!isChanged(change, call))
    return call.say(`The server ${name} is already set up like this; nothing changed.`)
  const what = serverWords(entry as unknown as ServerEntry)
  call.say(`${isThere ? 'Replaced' : 'Added'} the server ${name} in ${configFile(call.home)}: ${what}`)
  return call.say(
    `Takes effect after a restart or /reload. Its tools run once you allow them: /allow ${name}`,
  )
}

/** `mainstem mcp network NAME on|off` */
export function setNetwork(call: CommandCall, [name = '', how = '']: readonly string[]): number {
  const present = rightValues(call).mcp.servers[name]
  if (how !== 'on' && how !== 'off') throw new UsageError('Usage: mainstem mcp network NAME on|off')
  if (present === undefined || 'url' in present)
    throw new CommandError(`There is no program '${name}' among the servers. 'mainstem mcp list' lists them`)
  const json = { ...present, network: how === 'on' } as unknown as JsonObject
  if (!isChanged(setEntryInFile(call, KEY, { name, json }), call))
    return call.say(`The network of ${name} is ${how} already.`)
  return call.say(`The network of ${name} is ${how} now. Takes effect after a restart or /reload.`)
}

export function removeServer(call: CommandCall, [name = '']: readonly string[]): number {
  requireRight(call, KEY, undefined)
  const change = unsetInFile(call, KEY, name)
  if (!isChanged(change, call)) {
    const meant = meantText(nearest(name, Object.keys(rightValues(call).mcp.servers)))
    throw new CommandError(`There is no server '${name}'${meant} 'mainstem mcp list' lists them`)
  }
  call.say(`Removed the server ${name} from ${configFile(call.home)}.`)
  return call.say('Takes effect after a restart or /reload.')
}

export function listServers(call: CommandCall): number {
  const { values, sourceOf } = readConfig(call)
  const [rows, source] = [Object.entries(values.mcp.servers), sourceOf(KEY)]
  if (rows.length === 0)
    return call.say(
      "There are no MCP servers. 'mainstem mcp add NAME -- COMMAND' or 'mainstem mcp add NAME URL' adds one.",
    )
  for (const row of tableRows(rows.map(([name, entry]) => [name, serverWords(entry)]))) call.say(row)
  if (source.kind !== 'file') call.say(`They come from ${sourceText(source)}.`)
  return call.say('In a conversation, /tools shows what they offer and what is allowed.')
}

/** A single URL is a server at an address; anything else is a program with arguments. */
function entryOf(call: CommandCall, words: readonly string[]): JsonObject {
  const [first = '', ...args] = words
  const [env, headers, folders] = [call.texts('env'), call.texts('header'), call.texts('folder')]
  const network = call.isSet('network')
  if (args.length === 0 && /^[a-z][a-z\d+.-]*:\/\//i.test(first)) {
    if (env.length > 0) throw new UsageError("--env is for a program; an address gets --header 'Name: VALUE'")
    if (network || folders.length > 0)
      throw new UsageError('--network and --folder are for a program, which runs in a box')
    return { url: first, ...(headers.length > 0 && { headers: pairs(headers, HEADER) }) }
  }
  if (headers.length > 0) throw new UsageError('--header is for an address; a program gets --env NAME=VALUE')
  return {
    command: first,
    ...(args.length > 0 && { args }),
    ...(env.length > 0 && { env: pairs(env, VARIABLE) }),
    ...(folders.length > 0 && { folders: folders.map((folder) => resolve(folder)) }),
    ...(network && { network }),
  }
}

const HEADER = { form: /^([^:]*):\s*(.*)$/s, how: "--header 'Name: VALUE'" }
const VARIABLE = { form: /^([^=]*)=(.*)$/s, how: '--env NAME=VALUE' }

/** The error does not show the text: it may be a bare secret. */
function pairs(texts: readonly string[], { form, how }: typeof HEADER): JsonObject {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value] = form.exec(text) ?? []
      if (name === undefined || value === undefined) throw new UsageError(`Write it as ${how}`)
      return [name.trim(), value]
    }),
  )
}

function isChanged(change: Change, { home }: Place): boolean {
  switch (change.kind) {
    case 'changed':
      return true
    case 'unchanged':
      return false
    case 'pinned':
      throw new CommandError(
        `${KEY} comes from ${sourceText(change.setting.source)}, which takes precedence over ${configFile(home)}. Change or remove it there`,
      )
    case 'wrong':
      throw new CommandError(change.because)
    default:
      return unreachable(change)
  }
}
