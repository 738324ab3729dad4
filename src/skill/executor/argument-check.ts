import { createContext, Script } from 'node:vm'
import type { ErrorObject, ValidateFunction } from 'ajv'
import type { JsonObject } from '../../base/json.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import { declaredNames } from './descriptor.ts'
import { mayTakeLong } from './schema-problem.ts'

/** What is wrong with the arguments of a call, for its model. Never throws, and takes no longer than a moment. */
export type ArgumentCheck = (args: JsonObject) => string | undefined

export type CompileCheck = (spec: ToolSpec) => ArgumentCheck | { readonly problem: string }

const ARGUMENT_BYTES_MAX = 64 * 1024
const CHECK_MS_MAX = 250
const COMPILE_MS_MAX = 2_000

/** Loaded when the first skill with tools is: most of what it is made of is code that writes code. */
export async function argumentChecks(): Promise<CompileCheck> {
  const [{ Ajv }, formats] = await Promise.all([import('ajv'), import('ajv-formats')])
  // Inlined, a part that is referred to a thousand times would be written out a thousand times.
  const ajv = new Ajv({ strict: false, inlineRefs: false, addUsedSchema: false, logger: false })
  formats.default.default(ajv)
  return (spec) => {
    // Schemas of other drafts are read as far as they are understood; what is not declared is refused in all of them.
    const { $schema: _, $id: __, ...schema } = spec.parameters
    try {
      const compile = () => ajv.compile({ additionalProperties: false, ...schema })
      return checkOf(within(COMPILE_MS_MAX, compile), spec)
    } catch (error) {
      const because = error instanceof Error ? error.message : String(error)
      return { problem: `tool ${spec.name}: its parameters are no JSON Schema that can be used: ${because}` }
    }
  }
}

function checkOf(validate: ValidateFunction, spec: ToolSpec): ArgumentCheck {
  const takesLong = mayTakeLong(spec.parameters)
  return (args) => {
    try {
      const bytes = Buffer.byteLength(JSON.stringify(args))
      if (bytes > ARGUMENT_BYTES_MAX)
        return `the parameters are too long: ${bytes} bytes as JSON, of ${ARGUMENT_BYTES_MAX} at most`
      const given = withoutNulls(args, spec)
      const fits = takesLong ? within(CHECK_MS_MAX, () => validate(given)) : validate(given)
      return fits ? undefined : problemsText(validate, args, spec)
    } catch (error) {
      return `the parameters could not be checked: ${failureText(error)}`
    }
  }
}

function failureText(error: unknown): string {
  // Made in the context where it ran out of time, it is no Error of ours.
  if (typeof error === 'object' && error !== null && 'code' in error && error.code === LATE)
    return 'that takes too long with the schema of this tool'
  return error instanceof Error ? error.message : String(error)
}

const LATE = 'ERR_SCRIPT_EXECUTION_TIMEOUT'
const calling = new Script('act()')

/** What this gives, or an error once its time is up: a pattern can take for ever, and nothing else ends it. */
function within<T>(timeoutMs: number, act: () => T): T {
  const given: T[] = []
  calling.runInContext(createContext({ act: () => void given.push(act()) }), { timeout: timeoutMs })
  return given[0] as T
}

function problemsText(validate: ValidateFunction, args: JsonObject, spec: ToolSpec): string {
  const problems = [...new Set((validate.errors ?? []).map((error) => problemText(error, args, spec)))]
  const more = problems.length - PROBLEMS_MAX
  return [...problems.slice(0, PROBLEMS_MAX), ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

const PROBLEMS_MAX = 5

/** Null counts as missing, except where it is required and may be all that the schema allows. */
function withoutNulls(args: JsonObject, { parameters }: ToolSpec): JsonObject {
  const required: unknown = parameters['required']
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name)
  return Object.fromEntries(
    Object.entries(args).filter(([name, value]) => value !== null || isRequired(name)),
  )
}

function problemText(error: ErrorObject, args: JsonObject, { parameters }: ToolSpec): string {
  const [name = '', ...deeper] = error.instancePath.split('/').slice(1).map(unescaped)
  if (name === '') {
    if (error.keyword === 'required') return `missing parameter: ${String(error.params['missingProperty'])}`
    if (error.keyword === 'additionalProperties') {
      const known = declaredNames(parameters)
      const extra = String(error.params['additionalProperty']).slice(0, 64)
      return `unknown parameter: ${extra} (${known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`})`
    }
    return `the parameters ${error.message ?? 'do not fit'}`
  }
  if (deeper.length === 0 && args[name] === null) return `missing parameter: ${name}`
  const allowed: unknown = error.keyword === 'enum' ? error.params['allowedValues'] : undefined
  const place = [name, ...deeper].join('.')
  const values = Array.isArray(allowed) ? `: ${allowed.map((value) => JSON.stringify(value)).join(', ')}` : ''
  return `parameter ${place}: ${error.message ?? 'does not fit'}${values}`
}

function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}
