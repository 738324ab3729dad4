import { harmlessJson } from '../../channel/terminal/text/neutral.ts'
import { exportLog, exportToFile, gapText, type Exported } from '../../runtime/store/export.ts'
import type { Command, CommandCall } from '../frame/command.ts'
import { counted } from '../../base/words.ts'

export const exportCommand: Command = {
  name: 'export',
  summary: 'write all events as JSON Lines',
  usage: '[FILE] [--force]',
  details: `Writes every event as one line of JSON, to FILE or to standard output, and after them the files
that came with messages. Only you can read FILE, and it gets its name only when it is complete.

  --force       overwrite FILE if it exists

'mainstem import' reads it into an empty log again. From a damaged log it saves every
event that can be read and says which cannot; the exit code is then 1.
Works while another process writes to the log.`,
  run: runExport,
}

async function runExport(call: CommandCall): Promise<number> {
  const [file] = call.words
  const overwrite = call.isSet('force') ? 'replace' : 'refuse'
  const exported =
    file === undefined || file === '-'
      ? await exportLog(call.home, (line) => call.out.text(harmlessJson(line)))
      : await exportToFile(call.home, { file, overwrite })
  await call.out.flush()
  if (file !== undefined && file !== '-')
    void call.err.line(`Exported ${counted(exported.events, 'event')} to ${file}.`)
  return reportGaps(exported, call)
}

function reportGaps({ events, gaps, endIsSure }: Exported, { err }: CommandCall): number {
  if (gaps.length === 0 && endIsSure) return 0
  const lost = gaps.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  void err.line(`The log is damaged: ${counted(events, 'event')} could be read, ${lost} could not.`)
  for (const gap of gaps) void err.line(`  missing: ${gapText(gap)}`)
  if (!endIsSure) void err.line('  The end of the log cannot be read, so newer events may be missing too.')
  return 1
}
