import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Log } from '../src/log/log.ts'
import type { Recall } from '../src/recall/contract/recall.ts'
import { openForWriting } from '../src/runtime/home/open-log.ts'
import { openHomeRecall } from '../src/runtime/home/home-recall.ts'
import { Progress } from './progress.ts'
import { readSet, writeConversation, type Conversation, type Written } from './recall-data.ts'
import { askAll, qualityOf, ways, type Outcome, type Quality, type Way } from './recall-measure.ts'
import { withTypos } from './recall-typos.ts'

const USAGE =
  'npm run bench:recall -- [--data FILE]... [--variants] [--merged] [--typos SEED] [--no-recency] [--json]'
/** Sets that may not be part of this repository: files, separated by commas. */
const DATA = (process.env['RECALL_DATA'] ?? '').split(',').filter((file) => file !== '')
const OWN = fileURLToPath(new URL('data/no-shared-words.json', import.meta.url))

interface Options {
  readonly merged: boolean
  readonly typos: number | undefined
  readonly recency: boolean
}

interface Table {
  readonly by: Way
  readonly overall: Quality
  readonly categories: Readonly<Record<string, Quality>>
}

/** One set, asked in one way. */
interface Measured {
  readonly set: string
  readonly options: Options
  readonly tables: readonly Table[]
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      data: { type: 'string', multiple: true, default: [...DATA, OWN] },
      variants: { type: 'boolean', default: false },
      merged: { type: 'boolean', default: false },
      typos: { type: 'string' },
      'no-recency': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  })
  const typos = values.typos === undefined ? undefined : Number(values.typos)
  if (typos !== undefined && !Number.isSafeInteger(typos)) {
    process.stderr.write(`Usage: ${USAGE}\n`)
    return 2
  }
  const plain: Options = { merged: values.merged, typos, recency: !values['no-recency'] }
  const variants = values.variants
    ? [plain, { ...plain, merged: true }, { ...plain, typos: 1 }, { ...plain, recency: false }]
    : [plain]
  const measured: Measured[] = []
  for (const file of values.data)
    for (const options of variants)
      measured.push({ set: basename(file, '.json'), options, tables: await measure(readSet(file), options) })
  const isOne = measured.length === 1
  if (values.json)
    process.stdout.write(
      `${JSON.stringify(isOne ? asJson(measured[0] as Measured) : measured.map(asJson), undefined, 2)}\n`,
    )
  else process.stdout.write(`${isOne ? drawn(measured[0] as Measured) : drawnAll(measured)}\n`)
  return Math.max(...measured.map(verdict))
}

/** Each conversation in a log of its own, or all of them in one. */
async function measure(set: readonly Conversation[], options: Options): Promise<Table[]> {
  const outcomes = new Map<Way, Outcome[]>(ways.map((way) => [way, []]))
  const progress = new Progress('recall')
  const groups = options.merged ? [set] : set.map((one) => [one])
  const all = set.reduce((sum, { questions }) => sum + questions.length, 0) * ways.length
  let done = 0
  for (const group of groups) {
    await withRecall(async (log, recall) => {
      const written: Written[] = []
      for (const conversation of group) written.push(await writeConversation(log, conversation))
      await recall.catchUp()
      const now = Math.max(...group.flatMap(({ messages }) => messages.map(({ at }) => at)))
      const change = (text: string) => (options.typos === undefined ? text : withTypos(text, options.typos))
      const { recency } = options
      for (const by of ways)
        for (const of of written) {
          const some = await askAll({ recall, written, of, by, recency, now, change })
          outcomes.get(by)?.push(...some)
          progress.update((done += some.length) / all, by)
        }
    })
  }
  return ways.map((by) => tableOf(by, outcomes.get(by) ?? []))
}

const values = () => ({ embedder: 'static-en-128', recallAlpha: null, recallDecay: 0.1 })
const warn = (text: string) => process.stderr.write(`${text}\n`)
const fail = (error: unknown) => {
  throw error
}

async function withRecall(use: (log: Log, recall: Recall) => Promise<void>): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'mainstem-recall-'))
  const log = openForWriting({ home, command: 'bench:recall' })
  const recall = openHomeRecall({ home, log, values, warn, fail })
  try {
    await use(log, recall)
  } finally {
    await recall.close()
    await log.close()
    rmSync(home, { recursive: true })
  }
}

function tableOf(by: Way, outcomes: readonly Outcome[]): Table {
  const names = [...new Set(outcomes.map(({ category }) => category))].toSorted()
  const categories = names.map((name) => {
    return [name, qualityOf(outcomes.filter(({ category }) => category === name))] as const
  })
  return { by, overall: qualityOf(outcomes), categories: Object.fromEntries(categories) }
}

const NAMES: Readonly<Record<Way, string>> = { words: 'lexical', vectors: 'vector', both: 'hybrid' }

const HEAD =
  '| | questions | recall@5 | recall@10 | hit@5 | MRR | p50 ms | p95 ms |\n|---|---|---|---|---|---|---|---|'

/** Of one set, with its categories. */
function drawn({ tables }: Measured): string {
  const rows = tables.flatMap(({ by, overall, categories }) => [
    row(`**${NAMES[by]}**`, overall),
    ...Object.entries(categories).map(([name, quality]) => row(`${NAMES[by]}, ${name}`, quality)),
  ])
  return [HEAD, ...rows].join('\n')
}

/** Of several, overall. */
function drawnAll(measured: readonly Measured[]): string {
  const rows = measured.flatMap(({ set, options, tables }) =>
    tables.map(({ by, overall }) => row(`${[set, ...askedIn(options)].join(', ')}: ${NAMES[by]}`, overall)),
  )
  return [HEAD, ...rows].join('\n')
}

function askedIn({ merged, typos, recency }: Options): string[] {
  return [
    ...(merged ? ['merged'] : []),
    ...(typos === undefined ? [] : ['typos']),
    ...(recency ? [] : ['no recency']),
  ]
}

/** By the names that papers use, in percent and milliseconds. */
function asJson({ set, options, tables }: Measured): object {
  const ways = tables.map(({ by, overall, categories }) => {
    const named = Object.entries(categories).map(([name, quality]) => [name, figures(quality)] as const)
    return [NAMES[by], { overall: figures(overall), categories: Object.fromEntries(named) }] as const
  })
  return { set, options, ...Object.fromEntries(ways) }
}

function figures({ questions, recall5, recall10, hit5, mrr, p50, p95 }: Quality): object {
  return {
    questions,
    'recall@5': recall5,
    'recall@10': recall10,
    'hit@5': hit5,
    MRR: mrr,
    p50Ms: p50,
    p95Ms: p95,
  }
}

function row(name: string, { questions, recall5, recall10, hit5, mrr, p50, p95 }: Quality): string {
  const percents = [recall5, recall10, hit5, mrr].map((value) => value.toFixed(1))
  const times = [p50, p95].map((value) => value.toFixed(2))
  return `| ${[name, questions, ...percents, ...times].join(' | ')} |`
}

/** Vectors may not make a search worse. */
function verdict({ set, options, tables }: Measured): number {
  const [words, both] = (['words', 'both'] as const).map(
    (way) => tables.find(({ by }) => by === way)?.overall,
  )
  if (words === undefined || both === undefined) return 1
  const worse = (['recall10', 'mrr'] as const).filter((measure) => both[measure] < words[measure])
  const asked = [set, ...askedIn(options)].join(', ')
  if (worse.length > 0) process.stderr.write(`${asked}: hybrid is below lexical in ${worse.join(' and ')}\n`)
  return worse.length > 0 ? 1 : 0
}

process.exitCode = await main()
