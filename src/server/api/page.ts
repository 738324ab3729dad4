import { z } from 'zod'
import { boundBranch } from '../../agent/branch/binding.ts'
import { admittedBefore, isWaiting } from '../../agent/state/inbox.ts'
import { bindTo, isOwners, peopleNaming } from '../../agent/state/person.ts'
import { commandOf } from '../../agent/state/root.ts'
import { bytesText, singleSpaced } from '../../base/words.ts'
import type { RepliedTo } from '../../channel/channel.ts'
import type { Received } from '../../command/door/reception.ts'
import { getBranch } from '../../context/branch.ts'
import { branchNames } from '../../context/naming.ts'
import { hashSchema } from '../../event/fields.ts'
import { handleOf, type Position } from '../../event/id.ts'
import { OWNER, type Origin } from '../../event/speaker.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { contentTypeOf } from '../../file/content-type.ts'
import { keepFile, takeFiles } from '../../file/take-files.ts'
import type { Life } from '../../runtime/life/life.ts'
import { pageAddress } from '../../runtime/life/page-channel.ts'
import { branchAsked } from '../../view/named.ts'
import { originOf, rawBody, Refusal, route, type Route } from '../contract/route.ts'

const saying = z.strictObject({
  key: z.string().min(1).max(100).describe('the same key again does nothing more'),
  text: z.string(),
  branch: z.string().max(100).optional().describe('the branch that is meant; else the one talked to before'),
  files: z
    .array(z.strictObject({ hash: hashSchema, name: z.string().min(1).max(255) }))
    .max(20)
    .optional()
    .describe('files that were uploaded before'),
  replyTo: z.int().min(1).optional().describe('the position of a message that this one replies to'),
})

type Saying = z.infer<typeof saying>

/** However large `attachments.maxBytes` is: an upload is in memory until it is stored. */
const UPLOAD_BYTES_MAX = 64 * 1024 * 1024

/** An upload that no message took by then never will be sent. */
const UNSENT_MS = 24 * 60 * 60 * 1_000

/** The acts of a person on the page. */
export const pageRoutes: readonly Route[] = [
  route('POST /api/say', {
    summary: 'A message or a command, as typed on the page',
    body: saying,
    bodyBytesMax: 4 * 1024 * 1024,
    answer: z.strictObject({
      kind: z.enum(['admitted', 'done', 'duplicate', 'empty']),
      /** The branch that the page talks to from now on. */
      branch: z.string(),
      /** The answer of a command, if it came soon. */
      said: z.strictObject({ text: z.string(), isError: z.boolean() }).exactOptional(),
    }),
    handle: async ({ served: { life }, body, caller, request: { signal } }) => {
      const received = await life.page.inTurn(() => receive(life, originOf(caller), body, signal))
      const said = await saidTo(life, received, signal)
      const branch = await life.log.read((reader) =>
        branchNames(reader)(branchAsked(reader, undefined, pageAddress)),
      )
      return { kind: received.kind === 'closed' ? 'empty' : received.kind, branch, ...(said && { said }) }
    },
  }),

  route('DELETE /api/queued/:position', {
    summary: 'Withdraws a message of yours that still waits in an inbox',
    answer: z.strictObject({}),
    handle: async ({ served: { life }, params }) => {
      const entry = Number(params['position']) as Position
      const at = life.desk.now()
      await life.log.write((writing) => {
        const isThere = Number.isInteger(entry) && entry > 0 && entry <= writing.end
        const event = isThere ? writing.event(entry) : undefined
        const isOwn = event?.kind === 'inbound-admitted' && event.source.from === 'person'
        if (!isOwn || !isOwners(writing, event.branch) || !isWaiting(writing, event.branch, entry))
          throw new Refusal(409, 'This message is no longer waiting.')
        writing.append({ kind: 'inbound-dropped', branch: event.branch, at, entry })
      })
      return {}
    },
  }),

  route('POST /api/files', {
    summary: 'Keeps a file for a message that is about to be said; its bytes are the body',
    query: z.strictObject({ name: z.string().min(1).max(255) }),
    body: rawBody,
    bodyBytesMax: UPLOAD_BYTES_MAX,
    answer: z.strictObject({ hash: z.string(), name: z.string(), mime: z.string(), bytes: z.int() }),
    handle: async ({ served: { life }, query, body: bytes }) => {
      const { bytesMax } = life.desk.files.limits()
      if (bytes.length === 0) throw new Refusal(400, `${query.name} is empty.`)
      if (bytes.length > bytesMax)
        throw new Refusal(413, `${query.name} is larger than ${bytesText(bytesMax)} (attachments.maxBytes).`)
      await life.uploads.sweep(life.desk.now() - UNSENT_MS)
      const { hash, name, mime } = await keepFile(life.uploads, { kind: 'document', bytes, ...query })
      return { hash, name, mime, bytes: bytes.length }
    },
  }),

  route('GET /api/files/:hash', {
    summary: 'A file that came or went with a message',
    query: z.strictObject({ name: z.string().min(1).max(255).optional() }),
    handle: async ({ served: { life }, params: { hash = '' }, query: { name = 'file' } }) => {
      const bytes = await ownFile(life, hash)
      if (bytes === undefined) throw new Refusal(404, 'There is no such file.')
      const { mime } = contentTypeOf(bytes)
      const as = mime.startsWith('image/') ? 'inline' : 'attachment'
      return new Response(new Uint8Array(bytes), {
        headers: {
          'content-type': as === 'inline' ? mime : 'application/octet-stream',
          'content-disposition': `${as}; filename*=UTF-8''${encodeURIComponent(name)}`,
          'content-security-policy': "default-src 'none'; sandbox",
          // The address is the hash of the bytes, so they never change.
          'cache-control': 'private, max-age=31536000, immutable',
        },
      })
    },
  }),
]

async function receive(life: Life, origin: Origin, saying: Saying, signal: AbortSignal): Promise<Received> {
  const { key: messageId, text, branch, files = [], replyTo } = saying
  const { log, desk } = life
  const isKnown = await log.read((reader) => admittedBefore(reader, pageAddress, messageId) !== undefined)
  if (isKnown) return { kind: 'duplicate' }
  const bytesOf = async (hash: string) => (await life.uploads.read(hash)) ?? (await ownFile(life, hash))
  // One after the other, here and when they are taken: together they could fill the memory.
  for (const { hash, name } of files)
    if ((await bytesOf(hash)) === undefined)
      throw new Refusal(404, `${name} is no longer stored. Attach it again.`)
  const arriving = files.map(({ hash, name }) => ({
    kind: 'document' as const,
    name,
    size: null,
    fetch: async () => (await bytesOf(hash)) ?? Buffer.alloc(0),
  }))
  const taken = await takeFiles(desk.files, { files: arriving }, signal)
  const at = desk.now()
  const replied = await log.write((writing) => {
    if (branch !== undefined) moveTo(writing, branch, at)
    return replyTo === undefined ? undefined : repliedTo(writing, replyTo)
  })
  const isButton = replyTo !== undefined && (await log.read((reader) => offers(reader, replyTo, text)))
  const received = await life.receive({
    ...pageAddress,
    person: OWNER,
    messageId,
    text,
    origin,
    files: taken,
    ...(replied && { replyTo: replied }),
    ...(isButton && { isButton }),
  })
  for (const { hash } of files) await life.uploads.remove(hash)
  return received
}

/** Another person's file is not the owner's to see, whoever names its hash (PEOPLE2). */
async function ownFile({ log, desk }: Life, hash: string): Promise<Buffer | undefined> {
  const isOwn = await log.read((reader) => peopleNaming(reader, hash).includes(OWNER))
  return isOwn ? desk.files.store.read(hash) : undefined
}

/** Has the page talk to that branch, as /switch does. */
function moveTo(writing: Writing, word: string, at: number): void {
  const branch = branchAsked(writing, word, pageAddress)
  if (branch === boundBranch(writing, pageAddress)) return
  const { state, mode } = getBranch(writing, branch)
  const handle = handleOf(branch)
  if (state.kind === 'ended' || mode === 'background')
    throw new Refusal(
      409,
      `${handle} ${state.kind === 'ended' ? 'has ended' : 'is a background run'}. /switch ${handle} in main opens a fork with a copy of it.`,
    )
  bindTo(writing, pageAddress, { branch, at, author: { by: 'person' } })
}

/** The message at a position, in the form in which platforms name what is replied to. */
function repliedTo(reader: Reader, at: number): RepliedTo {
  const event = at > reader.end ? undefined : reader.event(at as Position)
  const messageId = String(at)
  if (event !== undefined && isOwners(reader, event.branch)) {
    if (event.kind === 'delivery-intended') return { messageId, delivery: event.position }
    if (event.kind === 'message-added') return { messageId, text: event.message.text }
  }
  throw new Refusal(404, `There is no message at ${at} to reply to.`)
}

/** Whether a message of ours has a button that says this: whoever presses it sees the label, not the words. */
function offers(reader: Reader, at: number, text: string): boolean {
  const event = reader.event(at as Position)
  const choices = event.kind === 'delivery-intended' ? (event.choices ?? []) : []
  return choices.some(({ command }) => singleSpaced(command) === singleSpaced(text))
}

const SOON_MS = 2_000

/** What a command said, if it was performed at once or soon. */
async function saidTo(life: Life, received: Received, signal: AbortSignal) {
  if (received.kind === 'done') return { text: received.said.text, isError: received.said.isError }
  if (received.kind !== 'admitted') return undefined
  const { branch, entries } = received
  const last = entries.at(-1) ?? (0 as Position)
  const isCommand = await life.log.read((reader) => {
    const event = reader.event(last)
    return event.kind === 'inbound-admitted' && event.form !== 'message'
  })
  if (!isCommand) return undefined
  const soon = AbortSignal.any([signal, AbortSignal.timeout(SOON_MS)])
  await life.agent.until((reader) => !entries.some((at) => isWaiting(reader, branch, at)), soon)
  const run = await life.log.read((reader) => commandOf(reader, last))
  return run && { text: run.output, isError: run.isError }
}
