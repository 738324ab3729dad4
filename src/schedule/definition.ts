import type { JsonObject } from '../base/json.ts'
import type { Reporting } from '../event/run.ts'

/** A job as its file defines it, with defaults filled in. */
export type Definition = Routine | Reminder | Webhook

interface Common {
  readonly id: string
  /** Whose job it is. Null: the owner's. */
  readonly person: string | null
  readonly description: string
  readonly isolated: boolean
  /** Null: as the main session has it. */
  readonly model: string | null
  readonly thinking: 'off' | 'adaptive' | number
  readonly reporting: Reporting
  readonly allowPing: boolean
  /** Patterns with Mainstem's tool names. */
  readonly tools: readonly string[]
  readonly skills: readonly string[]
  /** The prompt. */
  readonly body: string
}

export interface Routine extends Common {
  readonly kind: 'routine'
  /** Null: it is only run by hand. */
  readonly cron: string | null
  readonly background: boolean
  /** Later firings continue in the branch of the first one. */
  readonly isPersistent: boolean
  readonly timezone: string | null
  readonly catchUp: CatchUp
}

/** The fate of a firing that was missed. */
export type CatchUp =
  | { readonly kind: 'skip' }
  | { readonly kind: 'once' }
  /** Once, if it was missed by less. */
  | { readonly kind: 'within'; readonly ms: number }

export interface Reminder extends Common {
  readonly kind: 'reminder'
  /** ISO text; without an offset, a time in the job's zone. Null: it is only run by hand. */
  readonly runAt: string | null
  readonly background: boolean
  readonly chain: { readonly max: number; readonly depth: number; readonly parent: string }
  readonly timezone: string | null
  /** A model set it: its text is the model's. */
  readonly isByModel: boolean
  /** The position of a ping that the host sends again when this is due. Null: an ordinary reminder. */
  readonly snoozeOf: number | null
}

/** The JSON Schema of a webhook's payload, an object. */
export type PayloadSchema = JsonObject & { readonly properties: JsonObject }

export interface Webhook extends Common {
  readonly kind: 'webhook'
  readonly background: true
  readonly fields: PayloadSchema | null
  readonly secretEnv: string | null
}
