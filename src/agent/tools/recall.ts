import { z } from 'zod'
import { momentText, type Place } from '../../base/time-text.ts'
import { momentOf, MOMENT_FORMS } from '../../base/iso-time.ts'
import type { Clock } from '../../base/clock.ts'
import { getBranch, lineOf } from '../../context/branch.ts'
import { fence, plainName } from '../../event/fence.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Log } from '../../log/log.ts'
import { askRecall } from '../../recall/asking.ts'
import type { AskingParts, RecallAnswer, RecallHit, Wish } from '../../recall/asking.ts'
import { UNNAMED } from '../../event/speaker.ts'
import { unheardIn, type Unheard } from '../../recall/speaker.ts'
import { defineTool, type Meant } from '../../tool/define-tool.ts'
import { builtIn, failed, type Tool, type ToolResult } from '../../tool/tool.ts'
import { admittedAt } from '../state/inbox.ts'
import { personIn } from '../state/person.ts'
import type { AgentSettings } from '../state/settings.ts'
import { inboundTable } from '../state/tables.ts'
import { shownByAt } from '../state/updates.ts'

const LIMIT_MAX = 20
const LIMIT = 5
const QUERY_MAX = 2_000
/** For all texts together, whatever the settings allow for each. */
const TEXTS_MAX = 20_000

const USAGE =
  'Usage: recall {"query": words, "since"?: a date, "until"?: a date, "speaker"?: "user", "assistant" or a name, ' +
  `"limit"?: 1 to ${LIMIT_MAX}}. A date is ${MOMENT_FORMS}.`

const word = z.string().max(QUERY_MAX)
const argumentsSchema = z.strictObject({
  query: word.describe('Words to look for'),
  since: word.describe('Only what was said from then on: "2026-03-01" or "2026-03"').exactOptional(),
  until: word.describe('Only what was said up to then').exactOptional(),
  speaker: word.describe('Who said it: "user", "assistant" or a name').exactOptional(),
  limit: z.int().min(1).max(LIMIT_MAX).describe('How many hits').exactOptional(),
})

type Given = z.infer<typeof argumentsSchema>

export interface RecallToolParts extends Omit<AskingParts, 'told' | 'whose'> {
  readonly log: Log
  readonly now: Clock
  readonly settings: () => Pick<AgentSettings, 'zone' | 'recall'>
}

/** Searches everything that was said with the person for whom the branch works. */
export function recallTool(parts: RecallToolParts): Tool {
  return defineTool({
    name: 'recall',
    description:
      'Search everything that was ever said with this person, including what was summarized or cleared. Use it before you say that you don\'t know something about the person, their plans or earlier work. Give a few distinctive words ("ferry genoa"), not a sentence. Each hit names its position; `read_log` with `around` shows what was said there.',
    schema: argumentsSchema,
    usage: USAGE,
    nature: builtIn('looks'),
    run: async (given, { branch }) => {
      const { zone, recall } = parts.settings()
      const times = timesIn(given, { zone, now: parts.now() })
      if ('misfit' in times) return times.misfit
      const { query: text, speaker = '' } = given
      const limit = given.limit ?? (recall.limit === 0 ? LIMIT : Math.min(recall.limit, LIMIT_MAX))
      const caller = await parts.log.read((reader) => callerOf(reader, branch))
      const wish: Wish = {
        text,
        ...times.is,
        ...(speaker.trim() !== '' && { speaker }),
        limit,
        snippetTokensMax: recall.snippetTokensMax,
        now: parts.now(),
        branch,
        ...caller,
      }
      const answer = await askRecall({ ...parts, told: shownByAt, whose: personIn }, wish)
      const isMissed = answer.kind === 'found' && answer.hits.length === 0
      return resultOf(answer, { zone, unheard: isMissed ? await unheardIn(parts, wish) : undefined })
    },
  })
}

function timesIn({ since, until }: Given, place: Place): Meant<Pick<Wish, 'since' | 'until'>> {
  const from = momentAt('since', since, place)
  if ('misfit' in from) return from
  const to = momentAt('until', until, place)
  if ('misfit' in to) return to
  if (from.is !== undefined && to.is !== undefined && from.is > to.is)
    return { misfit: failed(`since is after until, so nothing can lie between them. ${USAGE}`) }
  return {
    is: { ...(from.is !== undefined && { since: from.is }), ...(to.is !== undefined && { until: to.is }) },
  }
}

function momentAt(name: 'since' | 'until', text = '', place: Place): Meant<number | undefined> {
  if (text.trim() === '') return { is: undefined }
  const moment = momentOf(text, { ...place, edge: name === 'since' ? 'start' : 'end' })
  if (moment !== undefined) return { is: moment }
  return { misfit: failed(`'${text.slice(0, 40)}' is no time for ${name}. ${USAGE}`) }
}

/** The person for whom a branch works, and where its running turn began: that turn is the question, not a hit. */
export function callerOf(reader: Reader, id: BranchId): { asker: string; upTo?: Position } {
  const branch = getBranch(reader, id)
  const asker = lineOf(reader, branch)
    .map((above) => lastPerson(reader, above.id))
    .find((person) => person !== undefined)
  const { state } = branch
  return { asker: asker ?? UNNAMED, ...(state.kind === 'running' && { upTo: state.startedAt }) }
}

const LOOKED_AT_MAX = 100

function lastPerson(reader: Reader, branch: BranchId): string | undefined {
  const rows = reader.rows(inboundTable, { prefix: [branch], order: 'down', limit: LOOKED_AT_MAX })
  const row = rows.find(({ source }) => source === 'person')
  if (row === undefined) return undefined
  const { source } = admittedAt(reader, row.position)
  return source.from === 'person' ? source.person : undefined
}

function resultOf(
  answer: RecallAnswer,
  { zone, unheard }: { readonly zone: string; readonly unheard: Unheard | undefined },
): ToolResult {
  if (answer.kind === 'no-words') return failed(`There is no word in the query to look for. ${USAGE}`)
  const shown = fitting(answer.hits)
  const notes = notesOn(answer, { shown: shown.length, unheard })
  const instead = Object.fromEntries(answer.repaired.map(({ typed, taken }) => [typed, taken]))
  const text = JSON.stringify({
    hits: shown.map((hit) => shownHit(hit, zone)),
    ...(answer.repaired.length > 0 && { instead }),
    ...(notes.length > 0 && { note: notes.join(' ') }),
  })
  return { text, isError: false }
}

/** The best hits that fit. */
function fitting(hits: readonly RecallHit[]): readonly RecallHit[] {
  let size = 0
  const end = hits.findIndex(({ text }, index) => (size += text.length) > TEXTS_MAX && index > 0)
  return end < 0 ? hits : hits.slice(0, end)
}

function shownHit(hit: RecallHit, zone: string): object {
  const { position, at, kind, speaker, isOwn, label, branchName, text } = hit
  return {
    position,
    at: momentText(at, zone),
    who: kind,
    ...((kind === 'tool' || (kind === 'user' && !isOwn)) && { name: speaker }),
    // Programs name themselves when they hand in an update, and the name is outside of the fence.
    ...(kind === 'update' && { name: plainName(speaker) }),
    ...(label !== undefined && { label }),
    text: fence(`log:${branchName}`, text),
  }
}

function notesOn(
  { isMore, isFar, behind, hits }: Extract<RecallAnswer, { kind: 'found' }>,
  { shown, unheard }: { shown: number; unheard: Unheard | undefined },
): string[] {
  return [
    ...(hits.length === 0 ? [nothingNote(unheard)] : []),
    ...(isFar ? ['None of the words was found; these are only the nearest in meaning.'] : []),
    ...(isMore || shown < hits.length ? ['There is more: narrow it down, or give a larger limit.'] : []),
    ...(behind.events > 0
      ? [`${behind.events} events of the log are not indexed yet; ask again later.`]
      : []),
    ...(behind.vectors > 0
      ? [
          `Messages whose meaning is not known yet, and that are found by their words alone: ${behind.vectors}.`,
        ]
      : []),
  ]
}

const NAME_MAX = 40

function nothingNote(unheard: Unheard | undefined): string {
  if (unheard === undefined) return 'Nothing was found. Try other or fewer words.'
  const [name, ...others] = [unheard.name, ...unheard.others].map((one) =>
    JSON.stringify(one.slice(0, NAME_MAX)),
  )
  const takes = others.length === 0 ? '"user" or "assistant"' : `"user", "assistant", ${others.join(', ')}`
  return `Nothing was found: nobody called ${name} ever spoke here. speaker takes ${takes}.`
}
