import { parseArgs } from 'node:util'
import { livePrompts } from './prompt-life.ts'
import { presets } from '../src/config/table/presets.ts'
import {
  brokenMusts,
  measureBudget,
  measurePrompts,
  percent,
  type Budget,
  type Kept,
  type PromptReport,
} from './prompt-measure.ts'

const HELP = `npm run bench:prompt -- [options]
  --turns N  how many turns a person talks; 200 without it
  --json     the figures as JSON`

const TURNS = 200

await main()

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      turns: { type: 'string', default: `${TURNS}` },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const turns = Number(values.turns)
  if (values.help || !Number.isInteger(turns) || turns < 1) {
    console.error(
      values.help ? HELP : `--turns is '${values.turns}'; write a whole number from 1 on\n${HELP}`,
    )
    process.exitCode = values.help ? 0 : 1
    return
  }
  const report = measurePrompts(await livePrompts({ turns }))
  const without = measurePrompts(await livePrompts({ turns, updates: 'none' }))
  const budget = measureBudget(await livePrompts({ turns, values: presets.fetch.values }))
  const broken = [
    ...brokenMusts(report),
    ...(budget.isMet
      ? []
      : [`with the preset fetch, prompts take ${percent(budget.share)} of 32,000 tokens`]),
  ]
  const shown = values.json
    ? JSON.stringify({ ...report, withoutUpdates: without, budget, broken }, null, 2)
    : [tables(report, without), budgetTable(budget)].join('\n\n')
  console.log(shown)
  for (const must of broken) console.error(`broken: ${must}`)
  if (broken.length > 0) process.exitCode = 1
}

function tables(report: PromptReport, without: PromptReport): string {
  const all = [promptTable(report), changeTable(report), cacheTable(report), ...updateTables(report, without)]
  return all.join('\n\n')
}

/** What updates take, and what the same life is without them. */
function updateTables(report: PromptReport, without: PromptReport): string[] {
  const { reported, told, peeked, tokensPerMessage } = report.updates
  const of = `${told} messages of main and ${peeked} that look`
  const shown = table(
    ['measure', 'of', 'p50', 'p95', 'max'],
    [['tokens of updates in a message', of, ...numbers(tokensPerMessage)]],
  )
  const compared = table(
    ['life', 'calls', 'updates in its prompts', 'kept', 'kept by forks', 'read from the cache', 'cost'],
    [lifeRow(`with ${reported} updates`, report), lifeRow('the same without', without)],
  )
  return [shown, compared]
}

/** With the preset `fetch`, in the order of the seed's own table. */
function budgetTable({ parts, share, isMet }: Budget): string {
  const rows = Object.entries(parts).map(([name, tokens]) => [name, ...numbers(tokens)])
  const of32k = ['p95 of 32,000 tokens', '', percent(share), '']
  return [
    table(['tokens of a prompt with the preset fetch', 'p50', 'p95', 'max'], [...rows, of32k]),
    `It must take less than 30 %: ${isMet ? 'yes' : 'no'}.`,
  ].join('\n\n')
}

function lifeRow(name: string, { calls, updates, kept, keptByForks, caches }: PromptReport): string[] {
  const shares = [updates.share, kept.least, keptByForks.least, caches[0]?.read ?? 0, caches[0]?.cost ?? 0]
  return [name, `${calls}`, ...shares.map(percent)]
}

function promptTable(report: PromptReport): string {
  const { turns, branches, calls, tokensPerTurn, tokensPerPrompt } = report
  const { kept, keptWithTail, tails, keptByForks } = report
  return table(
    ['measure', 'of', 'p50', 'p95', 'max'],
    [
      ['tokens of the prompts of a turn', `${turns} turns and those of children`, ...numbers(tokensPerTurn)],
      ['tokens of a prompt', `${calls} calls in ${branches} branches`, ...numbers(tokensPerPrompt)],
    ],
  ).concat(
    '\n\n',
    table(
      ['measure', 'of', 'least', 'mean', 'must be', 'met'],
      [
        ['begins with the prompt before it, without tails', ...shares(kept), ...whole(kept)],
        [`the same with tails, which ${tails} prompts have`, ...shares(keptWithTail), '', ''],
        ['a fork begins with what its parent showed', ...shares(keptByForks), ...whole(keptByForks)],
      ],
    ),
  )
}

function whole({ least, pairs }: Kept): string[] {
  return ['100.0 %', pairs > 0 && least === 1 ? 'yes' : 'no']
}

function changeTable({ changes }: PromptReport): string {
  return table(
    ['between two prompts', 'times', 'kept', 'tokens lost'],
    changes.map(({ change, times, kept, tokensLost }) => [
      change,
      `${times}`,
      percent(kept),
      tokensLost.toLocaleString('en'),
    ]),
  )
}

function cacheTable({ caches }: PromptReport): string {
  return table(
    ['markers', 'read from the cache', 'written to it', 'neither', 'cost of the prompts'],
    caches.map(({ markers, read, written, fresh, cost }) => [
      markers,
      ...[read, written, fresh, cost].map(percent),
    ]),
  )
}

function numbers({ p50, p95, max }: PromptReport['tokensPerTurn']): string[] {
  return [p50, p95, max].map((tokens) => tokens.toLocaleString('en'))
}

function shares({ pairs, least, mean }: Kept): string[] {
  return [`${pairs} pairs`, percent(least), percent(mean)]
}

/** A Markdown table that reads the same in a terminal; all but the first column to the right. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  )
  const line = (row: readonly string[]): string => {
    const cells = widths.map((width, column) =>
      column === 0 ? (row[column] ?? '').padEnd(width) : (row[column] ?? '').padStart(width),
    )
    return `| ${cells.join(' | ')} |`
  }
  const rule = widths.map((width, column) => '-'.repeat(width - 1) + (column === 0 ? '-' : ':'))
  return [head, rule, ...rows].map(line).join('\n')
}
