import { CONFIG_FILE, ENV_FILE } from '../../config/table/source.ts'
import type { EventOf } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import { OWNER } from '../../event/speaker.ts'
import type { Folds, Reader, Writer } from '../../event/table.ts'
import { getBranch } from '../../context/branch.ts'
import { ModelError } from '../../model/contract/model.ts'
import { isForPeople } from './asker.ts'
import { newest, putNewest } from './newest.ts'
import { isSideJob, modelFor, runAbove, runName, type Run } from './run.ts'
import type { AgentSettings } from './settings.ts'
import { rootTable, turnTable } from './tables.ts'

/**
 * The home's model is that of the newest turn that a person opened. `offline` never answers for another model (MODEL1):
 * where a process has no model and the home's model is another one, the work waits until somebody chooses a model.
 */
export type HomeModel = NonNullable<EventOf<'turn-started'>['model']>

/** Undefined: no turn of a person has named its model. */
export function homeModel(reader: Reader): HomeModel | undefined {
  return newest(reader, 'model')?.model
}

/** The home's model, if work with these settings has to wait for it; undefined: the work has a model. */
export function missingModel(
  reader: Reader,
  { modelFrom }: Pick<AgentSettings, 'modelFrom'>,
  run: Run | null = null,
): HomeModel | undefined {
  if (modelFrom !== null || (run !== null && run.model !== null)) return undefined
  const home = homeModel(reader)
  return home === undefined || home.name === OFFLINE ? undefined : home
}

/** As `missingModel`, for the work of a branch. */
export function missingModelIn(
  reader: Reader,
  branch: BranchId,
  settings: Pick<AgentSettings, 'modelFrom'>,
): HomeModel | undefined {
  if (settings.modelFrom !== null) return undefined
  return missingModel(reader, settings, runAbove(reader, branch) ?? null)
}

/**
 * Whether a branch does nothing before a model is chosen. A person is told so by a turn that is deferred then; a program
 * that waits for the answer gets a failure.
 */
export function waitsForModel(
  reader: Reader,
  branch: BranchId,
  settings: Pick<AgentSettings, 'modelFrom'>,
): boolean {
  if (missingModelIn(reader, branch, settings) === undefined) return false
  const found = getBranch(reader, branch)
  const { state } = found
  if (isForPeople(found)) return state.kind === 'idle' && state.last?.outcome === 'deferred'
  const run = runAbove(reader, branch)
  return run === undefined || !isSideJob(run)
}

const OFFLINE = 'offline'

/** What a turn is started with; left out where it has no model. */
export function modelOfTurn(
  reader: Reader,
  settings: Pick<AgentSettings, 'model' | 'modelFrom'>,
  run: Run | null,
): { readonly model?: HomeModel } {
  if (missingModel(reader, settings, run) !== undefined) return {}
  const from = run !== null && run.model !== null ? runName(run) : (settings.modelFrom ?? 'default')
  return { model: { name: modelFor(run, settings), from } }
}

/** `The model was anthropic/x (MAINSTEM_MODEL of the process that ended). It is not set here` */
export function missingWords({ name, from }: HomeModel): string {
  const where =
    from === CONFIG_FILE || from === ENV_FILE ? `set in ${from}` : `${from} of the process that ended`
  return `The model was ${name} (${where}). It is not set here`
}

/** What becomes of a question: it waits, or was withdrawn because a program asked and does not wait. */
export function missingNotice(
  missing: HomeModel,
  { person, isWithdrawn }: { readonly person: string; readonly isWithdrawn: boolean },
): string {
  const begin = missingWords(missing)
  if (isWithdrawn)
    return `${begin}, so your question was withdrawn. 'mainstem config set model NAME' sets one.`
  const how = person === OWNER ? '/model NAME chooses one.' : 'It is answered when the owner has chosen one.'
  return `${begin}, so your question waits. ${how}`
}

export function missingError(missing: HomeModel): ModelError {
  return new ModelError('unavailable', `${missingWords(missing)}. /model NAME chooses one`)
}

/** Folds which turn of a person was the newest with a model. */
export const homeModelFolds: Folds = {
  'message-added': ({ turn, took, message }, writer) => {
    if (turn === null || took === undefined || message.role !== 'user' || !isPersons(writer, took)) return
    const row = writer.row(turnTable, [turn])
    if (row !== undefined) takeModel(writer, row.position)
  },
  'turn-started': ({ branch, continues, position }, writer) => {
    const root = continues === null ? undefined : writer.row(rootTable, [branch])?.root
    if (root !== undefined && isPersons(writer, root)) takeModel(writer, position)
  },
}

function takeModel(writer: Writer, position: Position): void {
  const event = writer.event(position)
  if (event.kind !== 'turn-started' || event.model === undefined) return
  // A person may look into a run, which may have a model of its own.
  if (isForPeople(getBranch(writer, event.branch))) putNewest(writer, event, { what: 'model' })
}

function isPersons(reader: Reader, position: Position): boolean {
  const event = reader.event(position)
  return event.kind === 'inbound-admitted' && event.source.from === 'person' && event.form === 'message'
}
