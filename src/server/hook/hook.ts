import { createHash, createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { checked, jsonOf } from '../contract/input.ts'
import { rawBody, Refusal, route } from '../contract/route.ts'
import { isSameSecret } from '../door/secrets.ts'

const BYTES_MAX = 256 * 1024

/** Stands in for the secret where there is no webhook. It opens nothing. */
const NOBODYS = 'x'.repeat(32)

export const hookRoute = route('POST /hook/:id', {
  summary: 'Runs a webhook; the request needs its secret',
  body: rawBody,
  bodyBytesMax: BYTES_MAX,
  handle: async ({ served: { life }, params, body, incoming: { headers } }) => {
    const { webhooks, desk } = life
    const found = webhooks.find(params['id']?.normalize('NFC') ?? '')
    // Also where there is none, so that the time an answer takes does not tell more than its status.
    const proof = proofOf({ headers, body }, found?.secret ?? NOBODYS, desk.now())
    if (found === undefined) throw new Refusal(404, NO_HOOK)
    if (proof === 'wrong') throw new Refusal(401, NO_PROOF)
    if (proof === 'old') throw new Refusal(401, OLD)
    const { hook } = found
    const waitS = Math.ceil(webhooks.waitMs(hook) / 1_000)
    if (waitS > 0)
      throw new Refusal(429, `Too many requests for this webhook. Try again in ${waitS} s.`, {
        retryAfterS: waitS,
      })
    const key = keyOf(headers, proof)
    if (key === undefined) throw new Refusal(400, BAD_KEY)
    const payload = checked(z.unknown(), payloadIn(body), 'The body')
    const hash = createHash('sha256').update(body).digest('hex')
    const delivered = await webhooks.receive(hook, { key, hash, payload })
    switch (delivered.kind) {
      case 'taken':
        return Response.json({ run: delivered.run }, { status: 202 })
      case 'full':
        throw new Refusal(429, FULL, { retryAfterS: 60 })
      case 'wrong':
        throw new Refusal(400, delivered.problems.join(' '))
      case 'late':
        throw new Refusal(503, delivered.problems.join(' '), { retryAfterS: 60 })
    }
  },
})

/**
 * JSON, or a form with JSON in its field `payload`, as GitHub sends it if asked to. The bytes themselves say which, for
 * they are what is signed: JSON cannot begin like this form, but a header could have it read as one.
 */
function payloadIn(body: Uint8Array): unknown {
  const bytes = Buffer.from(body)
  if (!bytes.subarray(0, FORM.length).equals(FORM)) return jsonOf(body)
  const [payload = '', ...more] = bytes.toString('latin1').slice(FORM.length).split('&')
  if (more.length > 0) throw new Refusal(400, 'The form has more than its field payload.')
  // Byte by byte: what is no UTF-8 is refused as it is in JSON.
  const sent = payload
    .replaceAll('+', ' ')
    .replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return jsonOf(Buffer.from(sent, 'latin1'))
}

const FORM = Buffer.from('payload=')

/** The same for an unknown id, a webhook without a secret, and one whose file is broken. */
const NO_HOOK = 'There is no webhook at this address.'
/** The same for a missing and a wrong signature. */
const NO_PROOF =
  'The signature or the secret is missing or wrong. Sign the body (X-Hub-Signature-256 or Standard Webhooks), or send the secret as Authorization: Bearer.'
const OLD = 'The signature is older than 5 minutes, or from the future. Check the clocks, and sign again.'
const BAD_KEY = 'The key of the delivery is not 1 to 200 plain characters without blanks.'
const FULL = 'Too many requests wait for this webhook already. Try again later.'

interface Sent {
  readonly headers: IncomingHttpHeaders
  /** As it came: a signature is about these bytes. */
  readonly body: Uint8Array
}

const AGE_MS_MAX = 300_000

type Proof = 'bearer' | 'hub' | 'standard'

/**
 * How a request proves that its sender knows the secret: by a signature as GitHub or Standard Webhooks have it, or by the
 * secret itself as a bearer token. `old`: its signature is right, but is too old to count.
 */
function proofOf(sent: Sent, secret: string, now: number): Proof | 'wrong' | 'old' {
  const { headers } = sent
  const [, token] = /^bearer +(.+)$/i.exec(headers.authorization ?? '') ?? []
  if (token !== undefined && isSameSecret(token, secret)) return 'bearer'
  const [, hub] = /^sha256=([\da-f]{64})$/i.exec(textOf(headers['x-hub-signature-256'])) ?? []
  if (hub !== undefined && isSameSecret(hub.toLowerCase(), hubSignature(sent, secret))) return 'hub'
  return standardProof(sent, secret, now)
}

function hubSignature({ body }: Sent, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex')
}

/** standardwebhooks.com: the signature covers the id and the time too; several are given while a secret is changed. */
function standardProof({ headers, body }: Sent, secret: string, now: number): 'standard' | 'wrong' | 'old' {
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    textOf(headers[name]),
  ) as [string, string, string]
  // Dots are between what is signed: with one in its id, the same bytes could be read with another id and time.
  if (id === '' || id.includes('.') || !/^\d{1,12}$/.test(time)) return 'wrong'
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest('base64')
  const given = signatures.split(' ').slice(0, SIGNATURES_MAX)
  if (!given.some((one) => isSameSecret(one, `v1,${expected}`))) return 'wrong'
  return Math.abs(now - Number(time) * 1_000) <= AGE_MS_MAX ? 'standard' : 'old'
}

const SIGNATURES_MAX = 10

function textOf(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : ''
}

/** The first is signed together with the body by Standard Webhooks. GitHub signs none, so there it is not taken. */
const KEY_HEADERS = ['webhook-id', 'idempotency-key', 'x-github-delivery']

/** The sender's name for this delivery; null: it has none. Undefined: it has one that cannot be used. */
function keyOf(headers: IncomingHttpHeaders, proof: Proof): string | null | undefined {
  const names = proof === 'hub' ? KEY_HEADERS.slice(1) : KEY_HEADERS
  const name = names.find((header) => textOf(headers[header]) !== '')
  if (name === undefined) return null
  const value = textOf(headers[name])
  return /^[!-~]{1,200}$/.test(value) ? `${name} ${value}` : undefined
}
