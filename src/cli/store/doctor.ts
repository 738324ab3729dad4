import { systemZone } from '../../base/environment.ts'
import { minuteText } from '../../base/time-text.ts'
import {
  examine,
  isProblem,
  type Finding,
  type RecallOutcome,
  type TablesOutcome,
} from '../../runtime/store/doctor.ts'
import type { Command, CommandCall } from '../frame/command.ts'
import { gapText } from './export.ts'
import { counted } from '../../base/words.ts'
import { bytesText } from '../../view/words.ts'

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'check that the log is whole',
  usage: '[--rebuild]',
  details: `Checks the file, every event in it, and whether the derived tables match the events. It changes
nothing in the log. Damage is noted in a file next to the log, which blocks all writers until
doctor no longer finds it. The exit code is 0 if everything is fine.

  --rebuild     rebuilds the derived tables, says which differed, and deletes the search index,
                which is then rebuilt; fails if another process uses the log (exit code 3)

Works while another process writes to the log, and on a read-only disk: the tables are then not
compared, and nothing is noted. Sections of the AGENTS.md template that yours lacks are shown to
paste; the file is yours and is never changed. Otherwise others cannot write until it is done.`,
  options: { rebuild: 'flag' },
  run: runDoctor,
}

async function runDoctor(call: CommandCall): Promise<number> {
  const style = call.out.style
  const progress = (done: number, all: number) =>
    call.err.progress(`${done.toLocaleString('en')} of ${counted(all, 'event')}`)
  let problems = 0
  let isLossy = false
  let missing: readonly string[] = []
  try {
    for (const finding of examine({
      home: call.home,
      rebuild: call.isSet('rebuild') ? 'always' : 'never',
      progress,
    })) {
      call.err.clearProgress()
      const bad = isProblem(finding)
      if (bad) problems++
      if (finding.check === 'agents') missing = finding.missing
      isLossy ||= !NOT_LOSSY.has(finding.check) && bad
      const skipped = finding.check === 'tables' && SKIPPED.has(finding.outcome.kind)
      const verdict = bad ? style.red('problem') : skipped ? style.yellow('skipped') : style.green('ok     ')
      const [first, ...more] = told(finding)
      const name = finding.check === 'lost' ? 'file' : finding.check
      await call.out.line(`${verdict}  ${name.padEnd(10)}${first}`)
      for (const line of more) await call.out.line(`${' '.repeat(19)}${line}`)
      await call.out.flush()
    }
  } finally {
    call.err.clearProgress()
  }
  await call.out.line(problems === 0 ? 'Everything is fine.' : `${counted(problems, 'problem')}.`)
  if (isLossy) await call.out.line(ADVICE)
  if (missing.length > 0)
    await call.out.line(`\nTo paste into your AGENTS.md, as far as you like:\n\n${missing.join('\n\n')}`)
  return problems === 0 ? 0 : 1
}

const NOT_LOSSY: ReadonlySet<Finding['check']> = new Set(['home', 'tables', 'lost'])
const SKIPPED: ReadonlySet<TablesOutcome['kind']> = new Set(['in-use', 'not-writable', 'not-tried'])

const ADVICE =
  "Copy the home before anything else. 'mainstem export FILE' saves every event that can be read."

function told(finding: Finding): string[] {
  switch (finding.check) {
    case 'file':
      return [`${bytesText(finding.bytes)}, log format ${finding.format}, begun by mainstem ${finding.by}`]
    case 'home':
      return [finding.problem]
    case 'lost':
      return [finding.because]
    case 'structure':
      return finding.problems.length === 0 ? ['SQLite finds no damage'] : [...finding.problems]
    case 'events':
      return eventsTold(finding)
    case 'tables':
      return tablesTold(finding.outcome)
    case 'note':
      return finding.lifted
        ? ['damage that was noted earlier is gone: the log can be written to again']
        : [`noted earlier: ${finding.noted}`]
    case 'recall':
      return [recallTold(finding.outcome)]
    case 'agents':
      return finding.missing.length === 0
        ? ['AGENTS.md has every section of the template']
        : [`AGENTS.md lacks ${counted(finding.missing.length, 'section')} of the template, shown below`]
  }
}

/** The index is never a problem: the next search repairs it. */
function recallTold(outcome: RecallOutcome): string {
  if (outcome.kind === 'removed') return 'the index was deleted; the next search or chat rebuilds it'
  const { state, end } = outcome
  if (state.kind === 'none') return 'not indexed yet; the next search or chat does it'
  if (state.kind === 'unusable')
    return `the index cannot be used (${state.because}); the next search or chat rebuilds it`
  const behind = Math.max(0, end - state.upTo)
  const much = behind === 0 ? 'all is indexed' : `all but the newest ${counted(behind, 'event')} is indexed`
  return `${much}, ${bytesText(state.bytes)}; recall.db can be deleted at any time`
}

function eventsTold({ end, endIsSure, gaps }: Extract<Finding, { check: 'events' }>): string[] {
  if (gaps.length === 0 && endIsSure) return [`${counted(end, 'event')}, all readable, no gaps`]
  const lost = gaps.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  return [
    `${lost} of ${end} cannot be read${endIsSure ? '' : ', and the end of the log cannot be found'}`,
    ...gaps.map(gapText),
  ]
}

function tablesTold(outcome: TablesOutcome): string[] {
  switch (outcome.kind) {
    case 'compared': {
      const differing = outcome.tables.filter(({ differs }) => differs)
      if (differing.length === 0) return ['match the events']
      const names = differing.map(({ table }) => table).join(', ')
      return [`${names}: do not match the events. 'mainstem doctor --rebuild' repairs them`]
    }
    case 'rebuilt':
      return outcome.tables.map(
        ({ table, rows, differs }) =>
          `${table.padEnd(8)} ${differs ? 'differed, repaired' : 'unchanged'}, ${counted(rows, 'row')}`,
      )
    case 'in-use': {
      const { holder } = outcome
      const who = holder
        ? `'${holder.command}' (process ${holder.pid}, since ${minuteText(holder.since, systemZone())})`
        : 'another process'
      return [`not compared: the log is in use by ${who}`]
    }
    case 'not-writable':
      return [`not compared, as this needs the log's lock: ${outcome.because}`]
    case 'not-foldable':
      return [`the events cannot be folded: ${outcome.because}`]
    case 'not-tried':
      return ['not compared: the events must be readable first']
  }
}
