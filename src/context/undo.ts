import type { Reader } from '../event/table.ts'
import { changeableBetweenTurns, header, isRefusal, type Act, type Decision } from './decision.ts'
import { versionAt } from './version.ts'

/** Takes back the branch's last change of context. Messages and marks since then stay. */
export function undo(reader: Reader, act: Act): Decision<'context-undone'> {
  const branch = changeableBetweenTurns(reader, act.branch)
  if (isRefusal(branch)) return branch
  const { prev } = versionAt(reader, branch.version)
  if (prev === null) return { refused: 'nothing-to-do', what: 'undo' }
  const { author } = act
  return { draft: { kind: 'context-undone', ...header(act), author, undone: branch.version, version: prev } }
}

export function redo(reader: Reader, act: Act): Decision<'context-redone'> {
  const branch = changeableBetweenTurns(reader, act.branch)
  if (isRefusal(branch)) return branch
  const version = branch.redo.at(-1)
  if (version === undefined) return { refused: 'nothing-to-do', what: 'redo' }
  return { draft: { kind: 'context-redone', ...header(act), author: act.author, version } }
}
