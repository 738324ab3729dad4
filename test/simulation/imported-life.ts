import { finishProposals } from '../../src/command/desk/proposal.ts'
import type { AgentSettings } from '../../src/agent/state/settings.ts'
import { checkDraft, toLine } from '../../src/event/codec.ts'
import type { Draft, Event } from '../../src/event/event.ts'
import type { Position } from '../../src/event/id.ts'
import type { StartedProcess } from '../../src/event/work.ts'
import { MemoryDisk, openMemoryStore } from '../../src/log/memory.ts'
import { takeLines } from '../../src/runtime/store/import-export.ts'
import { linesOf } from '../../src/runtime/store/lines.ts'
import { builtIn, ok, type Tool } from '../../src/tool/tool.ts'
import { ruleModel, type RuleModel } from '../agent/doubles.ts'
import { FakeClock, memoryWorkspace, stage, START, type Stage } from '../agent/stage.ts'

/** A life on an imported log, and all that it did to the world. */
export interface ImportedLife extends Stage {
  readonly model: RuleModel
  readonly ended: readonly StartedProcess[]
  readonly files: ReadonlyMap<string, string>
  /** Runs of the tool `danger`, which nobody allowed. */
  readonly dangers: readonly object[]
  /** Events that this life wrote. */
  written(): Promise<readonly Event[]>
}

export const DAY_MS = 24 * 60 * 60 * 1000

/** Imports lines of an export into an empty log in memory; throws an `ImportError` where that is refused. */
export async function importedDisk(text: string): Promise<MemoryDisk> {
  const disk = new MemoryDisk()
  const store = openMemoryStore(disk, 'import')
  await takeLines(store, { lines: linesOf(bytesOf(text)) })
  store.close()
  return disk
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

/** Starts a process on an imported log, as the chat does, and lets a day go by in which nobody says anything. */
export async function liveOn(disk: MemoryDisk, settings: Partial<AgentSettings> = {}): Promise<ImportedLife> {
  const files = new Map<string, string>()
  const ended: StartedProcess[] = []
  const dangers: object[] = []
  const model = ruleModel(() => ({ text: 'the model spoke' }))
  const danger: Tool = {
    spec: { name: 'danger', description: 'Does harm', parameters: { type: 'object' } },
    nature: { ...builtIn('runs'), origin: { kind: 'skill', skill: 'danger' }, fingerprint: 'f1' },
    run: async (args) => {
      dangers.push(args)
      return ok('harm done')
    },
  }
  const imported = disk.events.length
  const at = await stage({
    disk,
    clock: new FakeClock(START + DAY_MS),
    models: { ruled: model },
    settings: { model: 'ruled', compactionModel: 'ruled', digestAt: 8 * 60, forkIdleMs: 60_000, ...settings },
    workspace: memoryWorkspace(files),
    tools: [danger],
    endProcess: async (process) => {
      ended.push(process)
      return true
    },
  })
  await finishProposals(at.desk)
  await at.settle()
  for (let hours = 0; hours < 25; hours += 5) {
    await at.clock.pass(DAY_MS / 5)
    await at.settle()
  }
  const written = async (): Promise<readonly Event[]> => (await at.all()).slice(imported)
  return Object.assign(at, { model, ended, files, dangers, written })
}

/** The lines of an export with these events. */
export function linesFrom(drafts: readonly Draft[]): string {
  return drafts
    .map((draft, index) => toLine({ ...checkDraft(draft), position: (index + 1) as Position }))
    .join('\n')
}
