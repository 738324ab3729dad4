import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { rangeOf } from '../../base/address.ts'
import { type Json, parsedJson } from '../../base/json.ts'
import { SERVER_NAME, serverFields, serversProblem } from './server-problem.ts'
import { isNone, type ValueType, words, written } from './value-type.ts'

const WORDS_MAX = 100

const wordSchema = z.string().regex(/^[^\s,\p{Cc}]{1,128}$/u)

/** Many published skills have blanks in their names. */
const nameSchema = z.string().regex(/^[^\s,\p{Cc}](?:[^,\p{Cc}]{0,126}[^\s,\p{Cc}])?$/u)

export const skillNames = words('names of skills', nameSchema, WORDS_MAX)
/** With a port, only that port of the host is meant. */
export const hostNames = words('hosts such as nas.local or 127.0.0.1:8080', wordSchema, WORDS_MAX)

export const addressRanges = words(
  'addresses or ranges such as 127.0.0.1 or 10.0.0.0/8',
  z.string().refine((text) => rangeOf(text) !== undefined),
  WORDS_MAX,
)

const argument = z.string().regex(/^[^,\p{Cc}]{1,1000}$/u)

/** Run without a shell, so each argument is a word of its own. */
export const commandLine: ValueType<readonly string[]> = {
  ...words('arguments', argument, WORDS_MAX),
  schema: z.array(argument).max(WORDS_MAX),
  allowed:
    'a program and its arguments, separated by commas (in config.json: an array), or none (in config.json: [])',
}

export const serverModel = written(wordSchema, "the server's name for a model, such as whisper-1")

const folderSchema = z
  .string()
  .max(4_096)
  .refine((text) => (isAbsolute(text) || /^~(?:\/|$)/.test(text)) && !/[,\p{Cc}]/u.test(text))

export const folder = written(folderSchema, 'the full path of a folder, such as /home/me/skills or ~/skills')
export const folders = words('full paths of folders', folderSchema, WORDS_MAX)

/** What editors check; `serversProblem` has every rule. */
const { command, args, env, cwd, folders: shown, network, url, headers } = serverFields
const serverSchema = z.union([
  z.strictObject({
    command,
    args: args.exactOptional(),
    env: env.exactOptional(),
    cwd: cwd.exactOptional(),
    folders: shown.exactOptional(),
    network: network.exactOptional(),
  }),
  z.strictObject({ url, headers: headers.exactOptional() }),
])

/** A program that speaks MCP over its standard input and output, or an address where a server does. */
export type ServerEntry = z.infer<typeof serverSchema>
export type Servers = Readonly<Record<string, ServerEntry>>

export const servers: ValueType<Servers> = {
  schema: z
    .record(z.string().regex(SERVER_NAME), serverSchema)
    .refine((all) => serversProblem(all) === undefined),
  allowed:
    'JSON: {"NAME": {"command": "PROGRAM", "args": ["…"], "env": {}}} or {"NAME": {"url": "https://…", "headers": {}}}; a name has lowercase letters, digits and -',
  fromText: (text) => {
    const json = isNone(text) ? {} : (parsedJson(text) as Json | undefined)
    return json === undefined ? text : json
  },
  toText: (value) => JSON.stringify(value),
  problem: serversProblem,
}
