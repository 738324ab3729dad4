import { BY_HOST, reporterName } from '../../agent/state/updates.ts'
import { boundBranch } from '../../agent/branch/binding.ts'
import { systemClock } from '../../base/clock.ts'
import { momentText } from '../../base/time-text.ts'
import { ageText } from '../../base/words.ts'
import { lineFrom, prefixed, unpainted, wrap } from '../../channel/terminal/text/wrap.ts'
import { openForReading } from '../../runtime/home/open-log.ts'
import { terminalAddress } from '../../runtime/terminal/place.ts'
import { toldWords, updatesHeading, updatesView, type UpdateView } from '../../view/updates.ts'
import type { Command, CommandCall } from '../frame/command.ts'
import { settingsOf, withLog } from '../frame/home.ts'
import type { Output } from '../frame/output.ts'
import { oldestMain } from '../../agent/state/person.ts'

export const updatesCommand: Command = {
  name: 'updates',
  summary: 'what forks, runs and other programs reported to main',
  usage: '[--all] [--json]',
  details: `Shows what waits for main's next turn, the newest last: when it was reported, by whom, and its whole
text. Viewing doesn't consume it.

  --all         also what main already got, with the position of main's message that shows it (or
                leaves it out as one of too many), or with the saved fork that shows it
  --json        the same as one JSON array

Works while another process writes to the log.`,
  run: runUpdates,
}

async function runUpdates(call: CommandCall): Promise<number> {
  const { out } = call
  const which = call.isSet('all') ? 'all' : 'pending'
  const { zone } = settingsOf(call)
  const updates = await readUpdates(call.home, { which, zone })
  return call.print(updates, () => [
    updatesHeading(updates, which, '--all'),
    ...updates.flatMap((update) => ['', ...linesOf(update, { zone, isAll: which === 'all', out })]),
  ])
}

function readUpdates(
  home: string,
  look: { readonly which: 'all' | 'pending'; readonly zone: string },
): Promise<readonly UpdateView[]> {
  return withLog(openForReading(home), (log) =>
    log.read((reader) => {
      const branch = boundBranch(reader, terminalAddress) ?? oldestMain(reader)
      return branch === undefined ? [] : updatesView(reader, { branch, ...look }).updates
    }),
  )
}

const INDENT = '  '

/** Wrapped to the width of a terminal; otherwise lines stay as they were written. */
function linesOf(
  update: UpdateView,
  { zone, isAll, out }: { readonly zone: string; readonly isAll: boolean; readonly out: Output },
): string[] {
  const { style } = out
  const columns = out.columns === undefined ? Infinity : out.textColumns
  const at = Date.parse(update.ts)
  const by = update.byHost ? `${BY_HOST}, ` : ''
  const ago = `${ageText(systemClock() - at)} ago`
  const head = `${by}${momentText(at, zone)} (${ago}), ${reporterName(update)}`
  const state = stateWords(update, { zone, isAll })
  const shown = [
    { text: head, paint: style.dim },
    ...(state === '' ? [] : [{ text: `, ${state}`, paint: update.told === null ? style.yellow : style.dim }]),
  ]
  const text = wrap([{ text: update.message, paint: unpainted }], columns - INDENT.length)
  const indented = prefixed(text, lineFrom(INDENT), lineFrom(INDENT))
  return [...wrap(shown, columns), ...indented].map((line) => line.text.trimEnd())
}

/** `told 2026-03-01 Sun 09:42 at 123`. Without --all every update waits, so that is not shown. */
function stateWords(update: UpdateView, { zone, isAll }: { zone: string; isAll: boolean }): string {
  const position = update.told?.position
  const told = toldWords(update, (ts) => `${momentText(Date.parse(ts), zone)} at ${position}`)
  if (told !== undefined) return told
  return isAll ? 'waits' : ''
}
