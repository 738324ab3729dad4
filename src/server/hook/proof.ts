import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isSameSecret } from '../door/secrets.ts'

interface Sent {
  readonly headers: IncomingHttpHeaders
  /** As it came: a signature is about these bytes. */
  readonly body: Uint8Array
}

const AGE_MS_MAX = 300_000

/**
 * Whether a request proves that its sender knows the secret: by a signature as GitHub or Standard Webhooks have it, or
 * by the secret itself as a bearer token. `old`: its signature is right, but is too old to count.
 */
export function proofOf(sent: Sent, secret: string, now: number): 'right' | 'wrong' | 'old' {
  const { headers } = sent
  const [, token] = /^bearer +(.+)$/i.exec(headers.authorization ?? '') ?? []
  if (token !== undefined && isSameSecret(token, secret)) return 'right'
  const [, hub] = /^sha256=([\da-f]{64})$/i.exec(textOf(headers['x-hub-signature-256'])) ?? []
  if (hub !== undefined && isSameSecret(hub.toLowerCase(), hubSignature(sent, secret))) return 'right'
  return standardProof(sent, secret, now)
}

function hubSignature({ body }: Sent, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex')
}

/** standardwebhooks.com: the signature covers the id and the time too; several are given while a secret is changed. */
function standardProof({ headers, body }: Sent, secret: string, now: number): 'right' | 'wrong' | 'old' {
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    textOf(headers[name]),
  ) as [string, string, string]
  if (id === '' || !/^\d{1,12}$/.test(time)) return 'wrong'
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest('base64')
  const given = signatures.split(' ').slice(0, SIGNATURES_MAX)
  if (!given.some((one) => isSameSecret(one, `v1,${expected}`))) return 'wrong'
  return Math.abs(now - Number(time) * 1_000) <= AGE_MS_MAX ? 'right' : 'old'
}

const SIGNATURES_MAX = 10

function textOf(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : ''
}

/** The first is signed together with the body. */
const KEY_HEADERS = ['webhook-id', 'idempotency-key', 'x-github-delivery']

/** The sender's name for this delivery; null: it has none. Undefined: it has one that cannot be used. */
export function keyOf(headers: IncomingHttpHeaders): string | null | undefined {
  const name = KEY_HEADERS.find((header) => textOf(headers[header]) !== '')
  if (name === undefined) return null
  const value = textOf(headers[name])
  return /^[!-~]{1,200}$/.test(value) ? `${name} ${value}` : undefined
}
