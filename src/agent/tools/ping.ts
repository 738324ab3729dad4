import { z } from 'zod'
import { oneLine, shorten } from '../../base/width.ts'
import type { JsonObject } from '../../base/json.ts'
import { getBranch } from '../../context/branch.ts'
import type { EventOf } from '../../event/event.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import type { Reporting } from '../../event/run.ts'
import type { Address, Choice, Embed } from '../../event/work.ts'
import type { Writing } from '../../log/log.ts'
import { builtIn } from '../../tool/tool.ts'
import { done, refusal, type Actor, type ActTool, type Planned, type PlannedCall } from '../act.ts'
import { askedIn, isForPeople, whoAsked } from '../asker.ts'
import { colorNames, embedColor, embedText } from '../embed-text.ts'
import { runAbove, type Run } from '../run.ts'
import { intendUnasked, personOf } from '../unasked.ts'

type PingDecided = EventOf<'ping-decided'>

/** What a model wants to say to the person at once. */
interface Ping {
  readonly what: PingDecided['what']
  readonly isCritical: boolean
  readonly text: string
  readonly embed?: Embed
  readonly choices?: Choice[]
}

const TEXT_CHARS_MAX = 4_000

const pingSchema = z.strictObject({
  message: z.string().trim().min(1).max(TEXT_CHARS_MAX),
  critical: z.boolean().exactOptional(),
})
const PING_USAGE = `Usage: ping_user {"message": 1 to ${TEXT_CHARS_MAX} characters, "critical"?: true}`

export const pingUserTool = pingTool({
  name: 'ping_user',
  description: 'Write to the person at once, also from the background. Only what they would regret to miss.',
  parameters: {
    type: 'object',
    properties: {
      message: { type: 'string' },
      critical: { type: 'boolean', description: 'They would be devastated to miss it' },
    },
    required: ['message'],
  },
  read: (args) => {
    const read = pingSchema.safeParse(args)
    if (!read.success) return misfit(read.error, PING_USAGE)
    const { message: text, critical: isCritical = false } = read.data
    return { what: 'message', isCritical, text }
  },
})

/** What the strictest platform takes of a whole card. */
const CARD_CHARS_MAX = 6_000

const short = z.string().trim().min(1).max(256)
// A person who presses it has said these words, and no more: a model gives no commands with another's hand (SAFE4).
const words = z
  .string()
  .transform(oneLine)
  .pipe(z.string().min(1).max(80).regex(/^[^/]/, { error: "is a person's answer and cannot begin with /" }))
const embedSchema = z
  .strictObject({
    title: short,
    description: z.string().trim().min(1).max(TEXT_CHARS_MAX).exactOptional(),
    color: z
      .string()
      .transform(embedColor)
      .pipe(z.string({ error: `is like "#3b82f6" or one of ${colorNames.join(', ')}` }))
      .exactOptional(),
    fields: z
      .array(z.strictObject({ name: short, value: z.string().trim().min(1).max(1_000) }))
      .max(25)
      .exactOptional(),
    buttons: z
      .array(z.strictObject({ label: words, text: words.exactOptional() }))
      .max(5)
      .exactOptional(),
    critical: z.boolean().exactOptional(),
  })
  .refine((embed) => embedText(embed).length <= CARD_CHARS_MAX, {
    error: `the whole card has more than ${CARD_CHARS_MAX} characters`,
  })
const EMBED_USAGE =
  'Usage: send_embed {"title", "description"?, "color"?: "#3b82f6", "fields"?: [{"name", "value"}], "buttons"?: up to 5 {"label", "text"?}, "critical"?: true}'

export const sendEmbedTool = pingTool({
  name: 'send_embed',
  description: 'As ping_user, as a card.',
  parameters: {
    type: 'object',
    properties: {
      title: { type: 'string' },
      description: { type: 'string' },
      color: { type: 'string' },
      fields: { type: 'array', items: { type: 'object' }, description: '{name, value}' },
      buttons: {
        type: 'array',
        items: { type: 'object' },
        description: '5 at most: {label, text?}; text is sent to you',
      },
      critical: { type: 'boolean' },
    },
    required: ['title'],
  },
  read: (args) => {
    const read = embedSchema.safeParse(args)
    if (!read.success) return misfit(read.error, EMBED_USAGE)
    const { critical: isCritical = false, buttons = [], ...embed } = read.data
    const choices = buttons.map(({ label, text }) => ({ label, command: text ?? label }))
    return { what: 'embed', isCritical, text: embedText(embed, choices), embed, choices }
  },
})

/** What is the first thing wrong, and how it is used. */
function misfit({ issues: [issue] }: z.ZodError, usage: string): string {
  if (issue === undefined) return usage
  const what = [issue.path.join('.'), issue.message].filter((part) => part !== '').join(': ')
  return `Not sent: ${what}. ${usage}`
}

interface PingTool extends ToolSpec {
  /** What is meant, or how it is used. */
  readonly read: (args: JsonObject) => Ping | string
}

function pingTool({ read, ...spec }: PingTool): ActTool {
  return {
    spec,
    nature: builtIn('steers'),
    plan: (writing, actor, calls) => calls.map((call) => planPing(writing, actor, { call, read })),
  }
}

function planPing(
  writing: Writing,
  actor: Actor,
  { call, read }: { call: PlannedCall } & Pick<PingTool, 'read'>,
): Planned {
  const { args, bad, step } = call
  const ping = read(args)
  if (typeof ping === 'string') return { said: refusal(bad ?? ping) }
  const { branch, at } = actor
  const run = runAbove(writing, branch)
  const to = addressFor(writing, actor)
  // A refusal of the host stands in the ledger as well, with what it is for.
  const because =
    bad === undefined ? decide({ run, ping, to, isAsked: isAsked(writing, actor) }) : 'not-allowed'
  const isSent = SENT.has(because)
  const facts = {
    what: ping.what,
    isCritical: ping.isCritical,
    text: shorten(oneLine(ping.text), LEDGER_CHARS),
  }
  const delivery =
    isSent && to !== undefined ? send(writing, actor, { ping, to, turn: step.turn, because }) : null
  writing.append({
    kind: 'ping-decided',
    branch,
    at,
    v: 1,
    turn: step.turn,
    run: run?.branch ?? null,
    verdict: isSent ? 'sent' : 'refused',
    because,
    before: run?.pinged ?? null,
    delivery,
    ...facts,
  })
  // What works for a run does not report; the run does.
  const reporting = run?.branch === branch ? run.reporting : null
  return { said: isSent ? done(`Sent.${afterwards(reporting)}`) : refusal(bad ?? whyNot(because, reporting)) }
}

const LEDGER_CHARS = 200
const SENT: ReadonlySet<PingDecided['because']> = new Set(['allowed', 'critical', 'asked'])

function isAsked(writing: Writing, { branch }: Actor): boolean {
  const here = getBranch(writing, branch)
  return isForPeople(here) && askedIn(writing, here) !== undefined
}

function addressFor(writing: Writing, { branch }: Actor): Address | undefined {
  const here = getBranch(writing, branch)
  return (isForPeople(here) ? whoAsked(writing, here) : undefined) ?? personOf(writing, branch)
}

/** In the order in which reasons count. */
function decide(asked: {
  readonly run: Run | undefined
  readonly ping: Ping
  readonly to: Address | undefined
  readonly isAsked: boolean
}): PingDecided['because'] {
  const { run, ping, to } = asked
  if (run?.allowPing === false) return 'not-allowed'
  if (to === undefined) return 'nobody'
  if (asked.isAsked) return 'asked'
  if (ping.isCritical) return 'critical'
  return (run?.pings ?? 0) > 0 ? 'one-per-run' : 'allowed'
}

function send(
  writing: Writing,
  { branch, at }: Actor,
  {
    ping,
    to,
    turn,
    because,
  }: { ping: Ping; to: Address; turn: PingDecided['turn']; because: PingDecided['because'] },
): PingDecided['delivery'] {
  const { text, embed, choices = [] } = ping
  const card = { ...(embed !== undefined && { embed }), ...(choices.length > 0 && { choices }) }
  const message = { branch, at, to, form: 'ping', text, turn, ...card } as const
  if (because === 'asked') return writing.append({ kind: 'delivery-intended', v: 1, ...message })
  return intendUnasked(writing, message)
}

function afterwards(reporting: Reporting | null): string {
  return reporting === 'on_ping' || reporting === 'always'
    ? ' Report it with report_updates before you end.'
    : ''
}

function whyNot(because: PingDecided['because'], reporting: Reporting | null): string {
  const report = reporting === null || reporting === 'blocked' ? '' : ' Use report_updates for it instead.'
  switch (because) {
    case 'one-per-run':
      return `Not sent: this run has written to the person already, and one message in a run is the most.${report} critical: true is for what they would be devastated to miss.`
    case 'nobody':
      return `Not sent: no person has ever written here, so there is nobody to write to.${report}`
    default:
      return `Not sent: this run may not write to the person.${report}`
  }
}
