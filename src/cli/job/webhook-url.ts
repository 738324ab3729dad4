import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import { readConfig } from '../../config/config.ts'
import { HOOK_PREFIX } from '../../config/table/key.ts'
import { envFile } from '../../config/table/source.ts'
import type { Webhook } from '../../schedule/definition.ts'
import { CommandError, type CommandCall } from '../frame/command.ts'
import { jobNamed, withJobs } from './job-home.ts'

/** Prints the address of a webhook and how to call it. The secret itself is not shown. */
export function showUrl(call: CommandCall, word: string): Promise<number> {
  return withJobs(call, 'look', async (here) => {
    const { definition, file } = jobNamed(here, 'webhook', word)
    const hook = definition as Webhook
    const { id, secretEnv } = hook
    if (secretEnv === null) throw new CommandError(noSecret(call, id, file))
    const { publicUrl, port } = readConfig(call).values
    const origin = publicUrl === null ? `http://127.0.0.1:${port}` : new URL(publicUrl).origin
    const url = `${origin}/hook/${encodeURIComponent(id)}`
    const isExported = (call.environment[secretEnv] ?? '').trim() !== ''
    const view = { id, url, secretEnv, ...curlLines({ url, secretEnv, body: sampleOf(hook) }) }
    return call.print(view, () =>
      [
        url,
        '',
        ...(isExported ? [] : ['Load the secret into your shell:', `  . ${quoted(envFile(call.home))}`, '']),
        'Sign the body, as GitHub does:',
        `  ${view.signed}`,
        '',
        'Or send the secret itself:',
        `  ${view.bearer}`,
        '',
        'The answer is 202 with the id of the run. Add -H "Idempotency-Key: NAME" to be able to send it again safely.',
      ].join('\n'),
    )
  })
}

/** The shell puts the secret in. */
function curlLines({ url, secretEnv, body }: { url: string; secretEnv: string; body: JsonObject }) {
  const json = quoted(JSON.stringify(body))
  const hmac = `printf %s ${json} | openssl dgst -sha256 -hmac "$${secretEnv}" -r | cut -d' ' -f1`
  const send = `-H 'Content-Type: application/json' --data ${json} ${quoted(url)}`
  return {
    signed: `curl -H "X-Hub-Signature-256: sha256=$(${hmac})" ${send}`,
    bearer: `curl -H "Authorization: Bearer $${secretEnv}" ${send}`,
  }
}

function quoted(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** Data that its fields may accept, as a start. */
function sampleOf({ fields }: Webhook): JsonObject {
  return Object.fromEntries(
    Object.entries(fields?.properties ?? {}).map(([name, one]) => [name, sample(one)]),
  )
}

function sample(schema: Json): Json {
  if (!isJsonObject(schema)) return null
  const { type = 'string', enum: values, minimum, properties } = schema
  if (Array.isArray(values)) return values[0] ?? null
  switch ([type].flat()[0]) {
    case 'integer':
    case 'number':
      return typeof minimum === 'number' ? minimum : 1
    case 'boolean':
      return true
    case 'array':
      return []
    case 'object':
      return isJsonObject(properties)
        ? Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, sample(one)]))
        : {}
    default:
      return 'text'
  }
}

function noSecret(call: CommandCall, id: string, file: string): string {
  const name = `${HOOK_PREFIX}${id.toUpperCase().replaceAll(/\W/g, '_')}`
  return `Webhook ${id} has no secret-env, so it takes no requests. Add a line secret-env: ${name} to ${file}, and set the secret: echo ${name}=$(openssl rand -hex 32) >> ${quoted(envFile(call.home))}`
}
