import type { ErrorObject, ValidateFunction } from 'ajv'
import type { JsonObject } from '../../base/json.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import { declaredNames } from './descriptor.ts'

/** What is wrong with the arguments of a call, for its model. */
export type ArgumentCheck = (args: JsonObject) => string | undefined

export type CompileCheck = (spec: ToolSpec) => ArgumentCheck | { readonly problem: string }

/** Loaded when the first skill with tools is: most of what it is made of is code that writes code. */
export async function argumentChecks(): Promise<CompileCheck> {
  const [{ Ajv }, formats] = await Promise.all([import('ajv'), import('ajv-formats')])
  const ajv = new Ajv({ strict: false, allErrors: true, addUsedSchema: false, logger: false })
  formats.default.default(ajv)
  return (spec) => {
    // Schemas of other drafts are read as far as they are understood; what is not declared is refused in all of them.
    const { $schema: _, ...schema } = spec.parameters
    try {
      const validate = ajv.compile({ additionalProperties: false, ...schema })
      return (args) => problemsText(validate, args, spec)
    } catch (error) {
      const because = error instanceof Error ? error.message : String(error)
      return { problem: `tool ${spec.name}: its parameters are no JSON Schema that can be used: ${because}` }
    }
  }
}

const PROBLEMS_MAX = 5

function problemsText(validate: ValidateFunction, args: JsonObject, spec: ToolSpec): string | undefined {
  if (validate(withoutNulls(args, spec))) return undefined
  const problems = [...new Set((validate.errors ?? []).map((error) => problemText(error, args, spec)))]
  const more = problems.length - PROBLEMS_MAX
  return [...problems.slice(0, PROBLEMS_MAX), ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

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
