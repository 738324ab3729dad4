import type { JsonObject } from '../../base/json.ts'
import type { Act } from '../../context/decision.ts'
import type { BranchId, IdSeed, Position, TurnId } from '../../event/id.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import type { Choice } from '../../event/work.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { ToolNature } from '../../tool/tool.ts'
import type { AgentSettings } from '../state/settings.ts'

/** Who acts, where and when. An act only reads and writes the log: a work may be repeated, so it must touch nothing else. */
export interface Actor extends Act, IdSeed {
  readonly settings: AgentSettings
}

/** An act's answer, the same for a person and a model, and what to do once the act is durable. */
export interface Said {
  readonly text: string
  readonly isError: boolean
  /** Branches that have something to do now. */
  readonly wake?: readonly BranchId[]
  /** Branches whose running work is to be stopped at once. */
  readonly abort?: readonly BranchId[]
  /** What can be answered to it; a channel may make buttons of them. */
  readonly choices?: readonly Choice[]
}

export function ok(text: string, more: Pick<Said, 'wake' | 'abort'> = {}): Said {
  return { text, isError: false, ...more }
}

export function refusal(text: string): Said {
  return { text, isError: true }
}

/** A step whose calls are being answered. Acts of one step see what the acts before them did. */
export interface ActingStep {
  readonly turn: TurnId
  /** The assistant message with the calls. */
  readonly position: Position
}

/** A tool whose effects are written in one transaction with the step's last result. */
export interface ActTool {
  readonly spec: ToolSpec
  readonly nature: ToolNature
  /** Decides all calls of a step in their order, before their results are written. */
  plan(writing: Writing, actor: Actor, calls: readonly PlannedCall[]): readonly Planned[]
  /** Whether the step is planned a little later, since something that decides it is about to be known. */
  waits?(reader: Reader, actor: Actor, calls: readonly PlannedCall[]): boolean
}

export interface PlannedCall {
  readonly args: JsonObject
  /** Why the arguments cannot be used, if so. */
  readonly bad?: string
  readonly step: ActingStep
}

export interface Planned {
  readonly said: Said
  /** For marks and clears, which can only be written after the step's last result. */
  readonly afterResults?: (writing: Writing) => void
}

export function isActTool(tool: object): tool is ActTool {
  return 'plan' in tool
}
