import { z } from 'zod'
import { oneLine } from '../../base/width.ts'
import type { JsonObject } from '../../base/json.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import { parametersOf, readArguments } from '../../tool/define-tool.ts'
import { builtIn } from '../../tool/tool.ts'
import { addressesOf } from '../../tool/web/web-address.ts'
import type { ActTool, PlannedCall } from '../contract/act.ts'
import { callAnswerIn } from '../right/call-wording.ts'
import { colorNames, embedColor, embedText } from '../branch/embed-text.ts'
import { awaitsToken, planPings, type Ping } from '../ping/pinging.ts'

const TEXT_CHARS_MAX = 4_000

const critical = z.boolean().describe('Only for an emergency').exactOptional()
const whenFree = z.boolean().describe('Wait while they are busy').exactOptional()

const pingSchema = z.strictObject({
  message: z.string().trim().min(1).max(TEXT_CHARS_MAX),
  critical,
  when_free: whenFree,
})
const PING_USAGE = `Usage: ping_user {"message": 1 to ${TEXT_CHARS_MAX} characters, "critical"?: true, "when_free"?: true}`

export const pingUserTool = pingTool({
  name: 'ping_user',
  description:
    'Send the person a message right now. For background work only: pings have a budget, respect quiet hours, and one interrupts somebody. Use it for what they would regret missing before they next look; otherwise `report_updates`, or nothing. Say what happened and what to do, in one or two sentences. `critical`: an emergency they would be upset to sleep through; passes budget and quiet hours. `when_free`: may wait until they are not busy.',
  parameters: parametersOf(pingSchema),
  read: (args) => {
    const read = readArguments(pingSchema, args)
    if ('problem' in read) return `Not sent. ${read.problem} ${PING_USAGE}`
    const { message: text, critical: isCritical = false, when_free: isPatient = false } = read.is
    return { what: 'message', isCritical, isPatient, text }
  },
})

/** The limit for a whole card on the strictest platform. */
const CARD_CHARS_MAX = 6_000

const short = z.string().trim().min(1).max(256)
// Pressing a button sends these words as the person's. They cannot be a command, nor an answer to a question about a
// call, or a model could give one (SAFE4).
const words = z
  .string()
  .transform(oneLine)
  .pipe(z.string().min(1).max(80).regex(/^[^/]/, { error: "is a person's answer and cannot begin with /" }))
  .refine((text) => callAnswerIn(text) === undefined, {
    error: 'would allow or deny a call: use other words',
  })
  // As words of the person it would count as given, though nobody may have seen it (LEAVE1).
  .refine((text) => addressesOf(text, 'bare').length === 0, {
    error: 'has an address, which only a person can give: put it into the text of the card',
  })
const embedSchema = z
  .strictObject({
    title: short,
    description: z.string().trim().min(1).max(TEXT_CHARS_MAX).exactOptional(),
    color: z
      .string()
      .describe(`"#3b82f6" or ${colorNames.join(', ')}`)
      .transform(embedColor)
      .pipe(z.string({ error: `is like "#3b82f6" or one of ${colorNames.join(', ')}` }))
      .exactOptional(),
    fields: z
      .array(z.strictObject({ name: short, value: z.string().trim().min(1).max(1_000) }))
      .max(25)
      .describe('Facts, each with a short name')
      .exactOptional(),
    buttons: z
      .array(z.strictObject({ label: words, text: words.exactOptional() }))
      .max(5)
      .describe('Up to 5')
      .exactOptional(),
    critical,
    when_free: whenFree,
  })
  .refine((embed) => embedText(embed).length <= CARD_CHARS_MAX, {
    error: `the whole card has more than ${CARD_CHARS_MAX} characters`,
  })
const EMBED_USAGE =
  'Usage: send_embed {"title", "description"?, "color"?: "#3b82f6", "fields"?: [{"name", "value"}], "buttons"?: up to 5 {"label", "text"?}, "critical"?: true, "when_free"?: true}'

export const sendEmbedTool = pingTool({
  name: 'send_embed',
  description:
    'Like `ping_user`, as a card with fields and buttons. Use it when the person will want to answer with one tap. `buttons`: `{label, text}`; pressing one sends you `text`.',
  parameters: parametersOf(embedSchema),
  read: (args) => {
    const read = readArguments(embedSchema, args)
    if ('problem' in read) return `Not sent. ${read.problem} ${EMBED_USAGE}`
    const { critical: isCritical = false, when_free: isPatient = false, buttons = [], ...embed } = read.is
    const choices = buttons.map(({ label, text }) => ({ label, command: text ?? label }))
    return { what: 'embed', isCritical, isPatient, text: embedText(embed, choices), embed, choices }
  },
})

interface PingTool extends ToolSpec {
  /** The ping, or what is wrong with the arguments. */
  readonly read: (args: JsonObject) => Ping | string
}

function pingTool({ read, ...spec }: PingTool): ActTool {
  const wanted = (calls: readonly PlannedCall[]) => calls.map((call) => ({ call, ping: read(call.args) }))
  return {
    spec,
    nature: builtIn('steers', { says: 'host' }),
    plan: (writing, actor, calls) => planPings(writing, actor, wanted(calls)),
    waits: (reader, actor, calls) => awaitsToken(reader, actor, wanted(calls)),
  }
}
