import { type ParseError, parseTree } from 'jsonc-parser'
import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import { isTooDeep, syntaxText } from '../../base/json-syntax.ts'
import { firstOf } from '../../base/words.ts'
import { lineAndColumn } from '../../config/file/json-file.ts'
import { declared, type Arg, type Descriptor, type Resolving, type ValueRules } from './descriptor.ts'

export type ParsedDescriptor =
  | { readonly descriptor: Descriptor; readonly warnings: readonly string[] }
  | { readonly problem: string }

/** Reads a tools.json. Whether its parts fit together is checked later. */
export function parseDescriptor(text: string): ParsedDescriptor {
  const raw = jsonIn(text.replace(/^\u{FEFF}/u, ''))
  if ('problem' in raw) return raw
  const read = descriptorSchema.safeParse(raw.json)
  if (!read.success) {
    const issues = read.error.issues.map(({ path, message }) => `${placeText(path)} ${message}`)
    return { problem: `tools.json: ${firstOf(issues)}` }
  }
  const { tools, allowlist, execution, network } = read.data
  const specs = new Map(tools.map((tool) => [tool.name, tool]))
  return {
    descriptor: {
      tools: tools.map(({ name, description, parameters }) => ({
        name,
        description,
        parameters: { type: 'object', properties: {}, ...parameters },
      })),
      allowlist: new Map(Object.entries(allowlist)),
      executions: execution.map((entry) => {
        const parameters = specs.get(entry.tool)?.parameters ?? {}
        return { ...entry, args: entry.args.map((arg) => argOf(arg, parameters)) }
      }),
      network,
    },
    warnings: unreadFields(raw.json, read.data).map(
      (path) => `tools.json: ${placeText(path)} is unknown and ignored`,
    ),
  }
}

function jsonIn(text: string): { readonly json: JsonObject } | { readonly problem: string } {
  try {
    const json: unknown = JSON.parse(text)
    if (isJsonObject(json)) return { json }
    return { problem: 'tools.json must contain an object: { … } (not nested too deeply)' }
  } catch {
    return { problem: `tools.json is not JSON: ${errorPlace(text)}` }
  }
}

/** JSON.parse gives the position of some errors only. */
function errorPlace(text: string): string {
  if (isTooDeep(text)) return 'it is nested too deeply'
  const errors: ParseError[] = []
  parseTree(text, errors, { disallowComments: true })
  const { offset = 0, error = 1 } = errors[0] ?? {}
  const { line, column } = lineAndColumn(text, offset)
  return `line ${line}, column ${column}: ${syntaxText(error)}`
}

/** Fields of the file that the schema did not read. */
function unreadFields(raw: unknown, read: unknown, path: readonly PropertyKey[] = []): PropertyKey[][] {
  if (raw === read || typeof raw !== 'object' || typeof read !== 'object' || !raw || !read) return []
  const isList = Array.isArray(raw)
  return Object.entries(raw).flatMap(([key, value]) => {
    const here = [...path, isList ? Number(key) : key]
    return Object.hasOwn(read, key) ? unreadFields(value, Reflect.get(read, key), here) : [here]
  })
}

const noNul = z.string().refine((text) => !text.includes('\0'), { error: 'holds a NUL character' })
const flagName = noNul.refine((text) => /^-*[^\s=-]\S*$/.test(text), { error: 'is not the name of a flag' })
/** Ignoring this field would make a tool do more, or something else, than its author meant. */
const unsupported = z
  .null({ error: 'is not supported, and without it the tool would do something else' })
  .optional()
const jsonObject = z.custom<JsonObject>((value) => isJsonObject(value), { error: 'has to be an object' })

const toolSchema = z.object({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, {
    error: 'has to be 1 to 64 letters, digits, _ or -',
  }),
  description: z.string().default(''),
  parameters: jsonObject.default({}),
})

const resolveSchema = z
  .object({
    script: noNul.min(1).optional(),
    binary: noNul.min(1).optional(),
    subcommand: noNul.default(''),
    args: z.array(noNul).default([]),
  })
  .refine(({ script, binary }) => (script === undefined) !== (binary === undefined), {
    error: 'needs a script or a binary, and not both',
  })

const KINDS = ['positional', 'flag', 'flagifboolean', 'stdin', 'workingdir', 'literal'] as const

const argSchema = z
  .object({
    param: z.string().min(1).optional(),
    kind: z.preprocess(
      (kind) => (typeof kind === 'string' ? kind.toLowerCase() : kind),
      z.enum(KINDS, { error: `has to be one of ${KINDS.join(', ')}` }).default('positional'),
    ),
    value: noNul.optional(),
    flag: flagName.optional(),
    flagIfTrue: noNul.min(1).nullable().default(null),
    flagIfFalse: noNul.min(1).nullable().default(null),
    optional: z.boolean().default(false),
    normalizeNewlines: z.boolean().default(false),
    path: z.boolean().default(false),
    readPath: z.boolean().default(false),
    writePath: z.boolean().default(false),
    resolveCommand: resolveSchema.optional(),
    denyPattern: unsupported,
    denyResolveCommand: unsupported,
    denyAlwaysResolve: unsupported,
    subcommandOverride: unsupported,
  })
  .refine(({ kind, param }) => kind === 'literal' || param !== undefined, { error: 'needs a param' })
  .refine(({ kind, value }) => kind !== 'literal' || value !== undefined, {
    error: 'is a literal and needs a value',
  })
  .refine(
    ({ kind, resolveCommand }) =>
      resolveCommand === undefined || (kind !== 'literal' && kind !== 'flagifboolean'),
    { error: 'has no value that resolveCommand could resolve' },
  )
  .refine(
    ({ kind, flag, param }) => kind !== 'flag' || flag !== undefined || flagName.safeParse(param).success,
    { error: 'needs a flag: the name of its param is none' },
  )

const executionSchema = z.object({
  tool: z.string(),
  binary: z.string().min(1),
  subcommand: noNul.default(''),
  args: z.array(argSchema).default([]),
  endOfOptions: z.boolean().default(false),
  workingDirectory: noNul.min(1).nullable().default(null),
  successExitCodes: z.array(z.int()).default([]),
  binaryWrapper: unsupported,
  condition: unsupported,
})

const descriptorSchema = z.object({
  tools: z.array(toolSchema).default([]),
  allowlist: z.record(z.string(), z.array(noNul)).default({}),
  execution: z.array(executionSchema).default([]),
  network: z.boolean({ error: 'has to be true or false' }).default(false),
  $schema: z.unknown().optional(),
  version: z.unknown().optional(),
})

function argOf(raw: z.infer<typeof argSchema>, parameters: JsonObject): Arg {
  const { kind, param = '', value = '', flagIfTrue, flagIfFalse } = raw
  if (kind === 'literal') return { kind, value }
  if (kind === 'flagifboolean') return { kind, param, flagIfTrue, flagIfFalse }
  const rules: ValueRules = {
    param,
    normalizeNewlines: raw.normalizeNewlines,
    isPath: kind === 'workingdir' || raw.path || raw.readPath || raw.writePath,
    isNumber: isNumeric(declared(parameters, param)?.['type']),
    resolve: raw.resolveCommand === undefined ? null : resolvingOf(raw.resolveCommand),
  }
  if (kind === 'positional') return { kind, isOptional: raw.optional, ...rules }
  if (kind === 'flag') return { kind, flag: withDashes(raw.flag ?? param), ...rules }
  return { kind, ...rules }
}

/** Given dashes are kept: find's `-name` has one. */
function withDashes(flag: string): string {
  if (flag.startsWith('-')) return flag
  return flag.length === 1 ? `-${flag}` : `--${flag}`
}

function isNumeric(type: Json | undefined): boolean {
  const types = Array.isArray(type) ? (type as readonly Json[]) : [type]
  return types.length > 0 && types.every((one) => one === 'number' || one === 'integer')
}

function resolvingOf({ script, binary = '', subcommand, args }: z.infer<typeof resolveSchema>): Resolving {
  return script === undefined
    ? { kind: 'command', binary, subcommand, args }
    : { kind: 'script', script, args }
}

function placeText(path: readonly PropertyKey[]): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')
  return text.replace(/^\./, '') || 'it'
}
