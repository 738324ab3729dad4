import { join } from 'node:path'
import { counted } from '../../base/words.ts'
import { ConfigError, readConfig } from '../../config/config.ts'
import type { Config } from '../../config/table/settings.ts'
import { unboxedText } from '../../runtime/home/home-boxes.ts'
import { loadHomeSkills } from '../../runtime/home/home-skills.ts'
import { minimalEnvironment } from '../../tool/process/minimal-environment.ts'
import type { Progress } from '../../log/folding.ts'
import { examine, type Finding } from '../../runtime/store/doctor.ts'
import type { Command, CommandCall } from '../frame/command.ts'

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
compared, and nothing is noted. Otherwise others cannot write until it is done.
Sections of the AGENTS.md template that yours lacks are shown to paste; your file is never changed.`,
  run: runDoctor,
}

async function runDoctor(call: CommandCall): Promise<number> {
  const { out, err } = call
  const { red, yellow, green } = out.style
  const verdicts = { problem: red('problem'), skipped: yellow('skipped'), ok: green('ok     ') }
  const progress = (done: number, all: number) =>
    err.progress(`${done.toLocaleString('en')} of ${counted(all, 'event')}`)
  const findings: Finding[] = []
  try {
    for await (const finding of findingsOf(call, progress)) {
      findings.push(finding)
      const { check, verdict, lines } = finding
      err.bottom('')
      for (const [index, line] of lines.entries())
        await out.line(`${index === 0 ? `${verdicts[verdict]}  ${check.padEnd(10)}` : ' '.repeat(19)}${line}`)
      await out.flush()
    }
  } finally {
    err.bottom('')
  }
  const problems = findings.filter(({ verdict }) => verdict === 'problem')
  await out.line(problems.length === 0 ? 'Everything is fine.' : `${counted(problems.length, 'problem')}.`)
  if (problems.some(({ check }) => LOSSY.has(check))) await out.line(ADVICE)
  const missing = findings.flatMap((finding) => finding.missing ?? [])
  if (missing.length > 0)
    await out.line(`\nTo paste into your AGENTS.md, as far as you like:\n\n${missing.join('\n\n')}`)
  return problems.length === 0 ? 0 : 1
}

async function* findingsOf(call: CommandCall, progress: Progress): AsyncGenerator<Finding> {
  yield* examine({ home: call.home, rebuild: call.isSet('rebuild') ? 'always' : 'never', progress })
  const unboxed = await unboxedIn(call)
  if (unboxed !== undefined) yield { check: 'box', verdict: 'skipped', lines: [unboxed] }
  const { token, url } = telegramOf(call)
  if (token === null) return
  const { examineTelegram } = await import('../../channel/telegram/examine.ts')
  yield { check: 'telegram', ...(await examineTelegram({ token, url })) }
}

async function unboxedIn(call: CommandCall): Promise<string | undefined> {
  const { home } = call
  try {
    const { values } = readConfig(call)
    const environment = minimalEnvironment(call.environment)
    const parts = { home, workspace: join(home, 'workspace'), values, environment }
    const { skills } = await loadHomeSkills(parts)
    return unboxedText({ values, skills, environment })
  } catch (error) {
    if (error instanceof ConfigError) return undefined
    throw error
  }
}

/** A log can be examined with any configuration. */
function telegramOf(call: CommandCall): Config['telegram'] {
  try {
    return readConfig(call).values.telegram
  } catch (error) {
    if (error instanceof ConfigError) return { token: null, url: null }
    throw error
  }
}

const LOSSY: ReadonlySet<Finding['check']> = new Set(['structure', 'events', 'note'])

const ADVICE =
  "Copy the home before anything else. 'mainstem export FILE' saves every event that can be read."
