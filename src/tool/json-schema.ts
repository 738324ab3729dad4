import { createContext, Script } from 'node:vm'
import type { Ajv, ErrorObject } from 'ajv'

export const CHECK_MS_MAX = 250
export const COMPILE_MS_MAX = 2_000

/** Loaded on first use: most of it is code that writes code, and making one takes longer than all that it compiles. */
export async function newAjv(options: { readonly allErrors: boolean }): Promise<Ajv> {
  const [{ Ajv: Made }, formats] = await Promise.all([import('ajv'), import('ajv-formats')])
  // Inlined, a part that is referred to a thousand times would be written out a thousand times.
  const ajv = new Made({ ...options, strict: false, inlineRefs: false, addUsedSchema: false, logger: false })
  formats.default.default(ajv)
  return ajv
}

const calling = new Script('act()')
/** Made once: a context takes a millisecond and half a megabyte. */
let context: { act?: () => void } | undefined

/**
 * Throws when the time is up. Nothing else could end a regular expression that takes forever.
 * On a busy machine time passes without work: what had less than half of it for itself begins again.
 */
export function within<T>(timeoutMs: number, act: () => T): T {
  const before = process.threadCpuUsage()
  for (;;) {
    try {
      return inTime(timeoutMs, act)
    } catch (error) {
      const { user, system } = process.threadCpuUsage(before)
      const hadItsTime = user + system > (timeoutMs * 1_000) / 2
      if (hadItsTime || (error as { code?: unknown }).code !== TIMED_OUT) throw error
    }
  }
}

const TIMED_OUT = 'ERR_SCRIPT_EXECUTION_TIMEOUT'

function inTime<T>(timeoutMs: number, act: () => T): T {
  const given: T[] = []
  context ??= createContext({}) as NonNullable<typeof context>
  context.act = () => void given.push(act())
  try {
    calling.runInContext(context, { timeout: timeoutMs })
  } finally {
    delete context.act
  }
  return given[0] as T
}

/** The path to the value that does not fit. */
export function placeOf({ instancePath }: ErrorObject): string[] {
  return instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** `must be equal to one of the allowed values: "open", 1`. */
export function misfitText({ keyword, params, message }: ErrorObject): string {
  const allowed: unknown = keyword === 'enum' ? params['allowedValues'] : undefined
  const values = Array.isArray(allowed) ? `: ${allowed.map((value) => JSON.stringify(value)).join(', ')}` : ''
  return `${message ?? 'does not fit'}${values}`
}
