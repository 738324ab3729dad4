import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import { unknownFields, unsupportedField, type KnownFields } from './descriptor-fields.ts'
import { readDescriptorJson } from './descriptor-json.ts'
import {
  declared,
  type Arg,
  type Descriptor,
  type Execution,
  type Resolving,
  type ValueRules,
} from './descriptor.ts'

export type ParsedDescriptor =
  | { readonly descriptor: Descriptor; readonly warnings: readonly string[] }
  | { readonly problem: string }

/** Reads a tools.json. Whether its parts fit each other is not asked here. */
export function parseDescriptor(text: string): ParsedDescriptor {
  const raw = readDescriptorJson(text)
  if ('problem' in raw) return raw
  const read = descriptorSchema.safeParse(raw.json)
  if (!read.success) return { problem: issuesText(read.error) }
  const refused = unsupportedField(raw.json)
  if (refused !== undefined) return { problem: refused }
  const { tools, allowlist, execution } = read.data
  const specs = new Map(tools.map((tool) => [tool.name, tool]))
  return {
    descriptor: {
      tools: tools.map(specOf),
      allowlist: new Map(Object.entries(allowlist)),
      executions: execution.map((entry) => executionOf(entry, specs.get(entry.tool)?.parameters ?? {})),
    },
    warnings: unknownFields(raw.json, KNOWN_FIELDS),
  }
}

const noNul = z.string().refine((text) => !text.includes('\0'), { error: 'holds a NUL character' })
const flagName = noNul.refine((text) => /^-*[^\s=-]\S*$/.test(text), { error: 'is no name of a flag' })
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
})

const descriptorSchema = z.object({
  tools: z.array(toolSchema).default([]),
  allowlist: z.record(z.string(), z.array(noNul)).default({}),
  execution: z.array(executionSchema).default([]),
})

function specOf({ name, description, parameters }: z.infer<typeof toolSchema>): ToolSpec {
  return { name, description, parameters: { type: 'object', properties: {}, ...parameters } }
}

function executionOf(entry: z.infer<typeof executionSchema>, parameters: JsonObject): Execution {
  return { ...entry, args: entry.args.map((arg) => argOf(arg, parameters)) }
}

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

/** Dashes that were given are meant: `-name` of find has one. */
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

const ISSUES_MAX = 5

function issuesText(error: z.ZodError): string {
  const texts = error.issues.map(({ path, message }) => `${placeText(path)} ${message}`)
  const more = texts.length - ISSUES_MAX
  return `tools.json: ${texts.slice(0, ISSUES_MAX).join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

function placeText(path: readonly PropertyKey[]): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')
  return text.replace(/^\./, '') || 'it'
}

const KNOWN_FIELDS: KnownFields = {
  root: [...Object.keys(descriptorSchema.shape), '$schema', 'version'],
  tool: Object.keys(toolSchema.shape),
  execution: Object.keys(executionSchema.shape),
  arg: Object.keys(argSchema.shape),
  resolve: Object.keys(resolveSchema.shape),
}
