import type { DayHours } from '../../config/type/domain-type.ts'
import type { WindowRules } from '../../context/window.ts'
import type { BranchId } from '../../event/id.ts'
import type { Settings } from '../../event/prompt.ts'
import type { Reader } from '../../event/table.ts'
import type { PermissionMode } from '../../permission/judge.ts'
import type { DayLimit } from '../../model/spending.ts'
import { newest } from './newest.ts'

export interface AgentSettings {
  readonly model: string
  /** Where its name comes from, in a word; null: no model is set, and `offline` stands in. */
  readonly modelFrom: string | null
  readonly thinking: Settings['thinking']
  readonly chat: StepSettings
  readonly afterTools: StepSettings
  /** Tool rounds per turn. */
  readonly roundsMax: number
  readonly childRoundsMax: number
  readonly depthMax: number
  readonly childrenMax: number
  readonly runningMax: number
  /** How many background runs may work at once, and how long one may take by default. */
  readonly runsMax: number
  readonly runTimeoutMs: number
  readonly zone: string
  /** What everybody together may use in a day: the owner, guests and groups. */
  readonly dayLimit: DayLimit | null
  /** What each guest may use who has no limit of their own, and all such groups together. Left out: no limit. */
  readonly guestDayLimit?: DayLimit
  /** From here on, a person is told once a day how much they have used. */
  readonly dayWarn: DayLimit | null
  /** Money for a million tokens of a model whose price is unknown. */
  readonly priceUnknown: number
  /** How much one message or one firing of a job may cause in a day, in all branches together. */
  readonly causedMax: { readonly calls: number; readonly tokens: number; readonly branches: number }
  /** How often models may be called in a day for work that no person asked for, over all jobs. */
  readonly unattendedMax: number
  /** At least this long between two lines about tools in the message that grows. */
  readonly progressMs: number
  /** The default delay before a deferred message is tried again. */
  readonly retryMs: number
  /** The least number of messages shown after a rewind, if they exist. */
  readonly recentMin: number
  readonly window: WindowRules
  /** The model that writes summaries. */
  readonly compactionModel: string
  /** Whether summaries have a model of their own, and do not follow the one that answers. */
  readonly hasCompactionModel: boolean
  readonly recall: {
    /** How many earlier messages recall brings back by itself; 0: none. */
    readonly limit: number
    readonly snippetTokensMax: number
    /** Whether recall may bring back messages from before a clear. */
    readonly acrossClear: boolean
  }
  /** How long a fork may be silent before the host asks. */
  readonly forkIdleMs: number
  readonly permissions: PermissionMode
  /** Hosts whose addresses may be made up, and the addresses that the configuration has (LEAVE1). */
  readonly web: { readonly openHosts: readonly string[]; readonly addresses: readonly string[] }
  /** How long a question about a call waits; 0: for ever. */
  readonly approvalTimeoutMs: number
  readonly pings: {
    readonly capacity: number
    readonly refillMinutes: number
    /** How many critical pings a day are sent one by one; 0: all. */
    readonly criticalMax: number
    readonly ttlMs: number
    /** A person who wrote within this time is busy. */
    readonly busyMs: number
    /** A channel, or a channel and a conversation of it; null: where the person wrote last. */
    readonly to: string | null
  }
  /** Hours without unasked messages; null: never quiet. */
  readonly quietHours: DayHours | null
  /** In minutes since midnight; null: no digest. */
  readonly digestAt: number | null
  /** By person: what is another for them. */
  readonly guests: Readonly<Record<string, GuestSettings>>
  /** Identities of the owner, such as `telegram:12345`. */
  readonly links: readonly string[]
  /** How many messages of one person are worked on in so long; others wait. */
  readonly rateLimit: { readonly max: number; readonly windowMs: number }
}

export interface GuestSettings extends Partial<Pick<AgentSettings, 'zone' | 'quietHours'>> {
  /** Within the limit of everybody together. */
  readonly ownDayLimit?: DayLimit
}

export interface StepSettings {
  readonly tokensMax: number | null
  readonly temperature: number | null
}

/** The settings as they are for one person. */
export function settingsFor<Some extends Partial<Pick<AgentSettings, 'guests'>>>(
  settings: Some,
  person: string,
): Some {
  return { ...settings, ...settings.guests?.[person] }
}

/** A branch's context policy: as set there, else as configured. */
export function policyIn(reader: Reader, branch: BranchId, settings: AgentSettings): WindowRules['policy'] {
  return setPolicy(reader, branch) ?? settings.window.policy
}

/** The policy that was set for this branch, if any. */
export function setPolicy(reader: Reader, branch: BranchId): WindowRules['policy'] | undefined {
  return newest(reader, 'policy', branch)?.policy
}
