import type { DayHours } from '../../config/type/domain-type.ts'
import type { WindowRules } from '../../context/window.ts'
import type { Settings } from '../../event/prompt.ts'
import type { PermissionMode } from '../../permission/judge.ts'
import type { DayLimit } from '../../model/spending.ts'

/** The values of the configuration that an agent looks at. */
export interface AgentSettings {
  readonly model: string
  readonly thinking: Settings['thinking']
  readonly chat: StepSettings
  readonly afterTools: StepSettings
  /** Tool rounds of a turn. */
  readonly roundsMax: number
  readonly childRoundsMax: number
  readonly depthMax: number
  readonly childrenMax: number
  readonly runningMax: number
  /** Background runs at once, and how long one may take if nobody says otherwise. */
  readonly runsMax: number
  readonly runTimeoutMs: number
  readonly zone: string
  readonly dayLimit: DayLimit | null
  /** When a deferred message is tried again if nobody knows better. */
  readonly retryMs: number
  /** At least so many messages are shown after a rewind, where they exist. */
  readonly recentMin: number
  readonly window: WindowRules
  /** Who sums up. */
  readonly compactionModel: string
  readonly recall: {
    /** So many things said earlier come back by themselves; 0: none. */
    readonly limit: number
    readonly snippetTokensMax: number
    /** Whether what was said before a clear may come back by itself. */
    readonly acrossClear: boolean
  }
  /** So long nobody may say anything in a fork before the host asks. */
  readonly forkIdleMs: number
  readonly permissions: PermissionMode
  readonly pings: {
    readonly capacity: number
    readonly refillMinutes: number
    /** So many critical ones a day are told one by one; 0: all. */
    readonly criticalMax: number
    readonly ttlMs: number
    /** Who wrote so recently is busy. */
    readonly busyMs: number
    /** A channel, or a channel and a conversation of it; null: where the person wrote last. */
    readonly to: string | null
  }
  /** When nobody is written to unasked; null: never quiet. */
  readonly quietHours: DayHours | null
  /** In minutes since midnight; null: no digest. */
  readonly digestAt: number | null
}

export interface StepSettings {
  readonly tokensMax: number | null
  readonly temperature: number | null
}
