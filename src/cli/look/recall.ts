import { personIn } from '../../agent/state/person.ts'
import { shownByAt } from '../../agent/state/updates.ts'
import { stopwatchMs, systemClock } from '../../base/clock.ts'
import type { Style } from '../../base/style.ts'
import { oneLine } from '../../base/width.ts'
import { unpainted, wrap } from '../../channel/terminal/text/wrap.ts'
import { boundBranch } from '../../agent/branch/binding.ts'
import {
  headOf,
  recallView,
  remarksOn,
  whyLine,
  type Answered,
  type RecallWords,
} from '../../view/recall-text.ts'
import { readConfig, type ReadConfig } from '../../config/config.ts'
import { providerAccess } from '../../config/provider-access.ts'
import { childrenOf } from '../../context/branch.ts'
import type { BranchId } from '../../event/id.ts'
import { OWNER } from '../../event/speaker.ts'
import type { Reader } from '../../event/table.ts'
import { askRecall, type RecallHit, type Wish } from '../../recall/asking.ts'
import type { Recall } from '../../recall/contract/recall.ts'
import { snippetOf } from '../../recall/snippet.ts'
import { unheardIn } from '../../recall/speaker.ts'
import { termsOf } from '../../recall/words/words.ts'
import { agentSettings } from '../../runtime/home/live-config.ts'
import { openHomeRecall } from '../../runtime/home/home-recall.ts'
import { openForReading } from '../../runtime/home/open-log.ts'
import { terminalAddress } from '../../runtime/terminal/place.ts'
import { UsageError, type Command, type CommandCall } from '../frame/command.ts'
import { withLog } from '../frame/home.ts'
import { oldestMain } from '../../agent/state/person.ts'

const LIMIT = 10
const LIMIT_MAX = 200

export const recallCommand: Command = {
  name: 'recall',
  summary: 'search everything ever said',
  usage: '[--since T] [--until T] [--by WHO] [--limit N] [--why] [--json] WORDS…',
  details: `Finds messages, updates and summaries, the best first, including those the model no longer sees: when
it was said, by whom, in which branch, and at which position of the log. Labels mark messages that
were rewound, cleared or discarded, updates that main was not told of yet, and hits without any of
the words (said beside a match, or near in meaning). If a newer line of memory.md contradicts a hit,
that line follows behind an arrow.

  --since T     only since then: 3d, 2h, 1w ago, or 2026-03-01, 2026-03, 2026-03-01T08:30
  --until T     only until then, with all of that day
  --by WHO      only what they said: me, you (the assistant), or a name
  --limit N     at most N hits, up to ${LIMIT_MAX} (${LIMIT})
  --why         how each score came about
  --json        one JSON object

The first search of an old log builds its index. Works while another process writes to
the log.`,
  run: runRecall,
}

type Asking = Omit<Wish, 'branch'> & Pick<RecallWords, 'zone' | 'unheard'>

async function runRecall(call: CommandCall): Promise<number> {
  const config = readConfig(call)
  const asking = readAsking(call, config)
  const warn = (text: string) => void call.err.line(text)
  return withLog(openForReading(call.home), async (log) => {
    const recall = openHomeRecall({
      home: call.home,
      log,
      values: () => config.values,
      models: () => providerAccess(config),
      warn,
      fail: throwAgain,
    })
    try {
      const branch = await log.read(branchHere)
      if (branch === undefined) return await print(call, nothing, asking)
      await catchUp(recall, call)
      const asked = await askRecall({ log, recall, told: shownByAt, whose: personIn }, { ...asking, branch })
      if (asked.kind === 'no-words') throw noWords(asking.text)
      const isMissed = asked.hits.length === 0
      const unheard = isMissed ? await unheardIn({ log, recall }, { ...asking, branch }) : undefined
      return await print(call, asked, { ...asking, ...(unheard !== undefined && { unheard }) })
    } finally {
      await recall.close()
    }
  })
}

/** This command has no background work whose errors could be reported later. */
function throwAgain(error: unknown): never {
  throw error
}

const nothing: Answered = {
  kind: 'found',
  hits: [],
  isMore: false,
  isFar: false,
  repaired: [],
  behind: { events: 0, vectors: 0 },
}

/** Where the person talks, or would. An imported log may only have branches that have ended. */
function branchHere(reader: Reader): BranchId | undefined {
  return boundBranch(reader, terminalAddress) ?? oldestMain(reader) ?? childrenOf(reader, null)[0]
}

function readAsking(call: CommandCall, config: ReadConfig): Asking {
  const { zone, recall } = agentSettings(config)
  const now = systemClock()
  const since = call.time('since', { zone, now, edge: 'start' })
  const until = call.time('until', { zone, now, edge: 'end' })
  if (since !== undefined && until !== undefined && since > until)
    throw new UsageError('--since is after --until, so nothing can be found')
  const text = call.words.join(' ')
  // Before anything is opened: an old log may take a while to be indexed.
  if (termsOf(text).length === 0) throw noWords(text)
  return {
    text,
    since,
    until,
    speaker: call.text('by'),
    limit: limitOption(call),
    snippetTokensMax: recall.snippetTokensMax,
    now,
    asker: OWNER,
    zone,
  }
}

function noWords(text: string): UsageError {
  return new UsageError(`'${text}' has no word to search for. Usage: mainstem recall WORDS`)
}

function limitOption(call: CommandCall): number {
  const text = call.text('limit')
  if (text === undefined) return LIMIT
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= LIMIT_MAX) return limit
  throw new UsageError(`'--limit ${text}' is not a number from 1 to ${LIMIT_MAX}`)
}

/** Progress is shown only after this time: usually the index is nearly up to date. */
const QUIET_MS = 500

async function catchUp(recall: Recall, { err }: CommandCall): Promise<void> {
  const begun = stopwatchMs()
  try {
    await recall.catchUp((done, all) => {
      if (stopwatchMs() - begun < QUIET_MS) return
      err.progress(`Indexing the log: ${Math.floor((100 * done) / Math.max(1, all))} %`)
    })
  } finally {
    err.bottom('')
  }
}

function print(call: CommandCall, found: Answered, asking: Asking): Promise<number> {
  const words: RecallWords = {
    words: asking.text,
    zone: asking.zone,
    why: call.isSet('why'),
    isNarrowed: asking.since !== undefined || asking.until !== undefined || asking.speaker !== undefined,
    ...(asking.unheard !== undefined && { unheard: asking.unheard }),
  }
  const { style, textColumns } = call.out
  const look = { words, style, columns: textColumns, among: found.hits }
  return call.print(recallView(found, asking.text), () => [
    ...remarksOn(found, words),
    ...found.hits.flatMap((hit, index) => [...(index > 0 ? [''] : []), ...hitLines(hit, look)]),
  ])
}

interface Look {
  readonly words: RecallWords
  readonly style: Style
  readonly columns: number
  readonly among: readonly RecallHit[]
}

function hitLines(hit: RecallHit, { words, style, columns, among }: Look): string[] {
  const text = wrap([{ text: oneLine(shownOf(hit, words)), paint: unpainted }], columns - 2)
  const why = words.why ? [`  ${style.dim(whyLine(hit, among))}`] : []
  return [style.dim(headOf(hit, words.zone, style.yellow)), ...text.map((line) => `  ${line.text}`), ...why]
}

const SUMMARY_TOKENS_MAX = 80

/** A summary also covers many other things, so only the part with the words is shown. */
function shownOf({ kind, text, why }: RecallHit, { words }: RecallWords): string {
  if (kind !== 'summary') return text
  return snippetOf(text, { terms: termsOf([words, ...why.matched].join(' ')), tokensMax: SUMMARY_TOKENS_MAX })
}
