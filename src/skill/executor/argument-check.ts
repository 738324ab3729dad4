import { messageOf } from '../../base/message-of.ts'
import type { ErrorObject, ValidateFunction } from 'ajv'
import type { JsonObject } from '../../base/json.ts'
import { firstOf } from '../../base/words.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import { CHECK_MS_MAX, COMPILE_MS_MAX, misfitText, newAjv, placeOf, within } from '../../tool/json-schema.ts'
import { propertiesOf } from './descriptor.ts'
import { mayTakeLong } from './schema-problem.ts'

/** A problem with the arguments of a call, for the model. Never throws, and is always quick. */
export type ArgumentCheck = (args: JsonObject) => string | undefined

const ARGUMENT_BYTES_MAX = 64 * 1024

export async function argumentChecks() {
  const ajv = await newAjv({ allErrors: false })
  return (spec: ToolSpec): ArgumentCheck | { readonly problem: string } => {
    // Schemas of other drafts are read as far as they are understood; undeclared arguments are refused in all of them.
    const { $schema: _, $id: __, ...schema } = spec.parameters
    try {
      const compile = () => ajv.compile({ additionalProperties: false, ...schema })
      return checkOf(within(COMPILE_MS_MAX, compile), spec)
    } catch (error) {
      const problem = `its parameters are not a usable JSON Schema: ${messageOf(error)}`
      return { problem: `tool ${spec.name}: ${problem}` }
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
      if (fits) return undefined
      return firstOf([...new Set((validate.errors ?? []).map((error) => problemText(error, args, spec)))])
    } catch (error) {
      return `the parameters could not be checked: ${failureText(error)}`
    }
  }
}

function failureText(error: unknown): string {
  // The error comes from the context that ran out of time, so it is not an instance of our Error.
  if (typeof error === 'object' && error !== null && 'code' in error && error.code === LATE)
    return 'that takes too long with the schema of this tool'
  return messageOf(error)
}

const LATE = 'ERR_SCRIPT_EXECUTION_TIMEOUT'

/** Null counts as missing, unless it is required and may be all that the schema allows. */
function withoutNulls(args: JsonObject, { parameters }: ToolSpec): JsonObject {
  const required: unknown = parameters['required']
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name)
  return Object.fromEntries(
    Object.entries(args).filter(([name, value]) => value !== null || isRequired(name)),
  )
}

function problemText(error: ErrorObject, args: JsonObject, { parameters }: ToolSpec): string {
  const [name = '', ...deeper] = placeOf(error)
  if (name === '') {
    if (error.keyword === 'required') return `missing parameter: ${String(error.params['missingProperty'])}`
    if (error.keyword === 'additionalProperties') {
      const known = Object.keys(propertiesOf(parameters))
      const extra = String(error.params['additionalProperty']).slice(0, 64)
      return `unknown parameter: ${extra} (${known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`})`
    }
    return `the parameters ${error.message ?? 'do not fit'}`
  }
  if (deeper.length === 0 && args[name] === null) return `missing parameter: ${name}`
  return `parameter ${[name, ...deeper].join('.')}: ${misfitText(error)}`
}
