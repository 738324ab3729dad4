import type { AgentSettings } from '../../../src/agent/state/settings.ts'
import type { PermissionMode } from '../../../src/permission/judge.ts'
import type { Chance } from './chance.ts'
import { settingsWith, type Config } from './join.ts'
import { Recent } from './recent.ts'
import { ZONES } from './sim-definitions.ts'
import type { Versions } from './sim-tools.ts'

/** What outlives a process besides its log: the person's settings, and the disk. */
export class SimConfig implements Config {
  system = 'You are a test.'
  readonly files = new Map<string, string>()
  readonly versions: Versions = { ship: 1, far: 1 }
  readonly mode: Recent<PermissionMode>
  /** Called when anybody changes a setting. */
  onChange: () => void = () => undefined
  #settings: AgentSettings

  constructor(settings: AgentSettings) {
    this.#settings = settings
    this.mode = new Recent(settings.permissions)
  }

  get settings(): AgentSettings {
    return this.#settings
  }

  configure(key: string, value: string | number): string | undefined {
    const { pings } = this.#settings
    if (key === 'timezone' && !ZONES.includes(String(value))) return `There is no time zone ${value}.`
    if (key.startsWith('ping') && Number(value) < 1) return `It is 1 at least, not ${value}.`
    if (key === 'timezone') this.set({ zone: String(value) })
    else if (key === 'pingCapacity') this.set({ pings: { ...pings, capacity: Number(value) } })
    else if (key === 'pingRefillMinutes') this.set({ pings: { ...pings, refillMinutes: Number(value) } })
    else this.set({ [key]: value })
    if (key === 'permissions') this.mode.change(this.#settings.permissions)
    return undefined
  }

  /** As if somebody edited the configuration file. */
  set(some: Partial<AgentSettings>): void {
    this.#settings = { ...this.#settings, ...some }
    this.onChange()
  }
}

/** Settings that make much happen in a short life. */
export function settingsBy(chance: Chance): AgentSettings {
  const settings = settingsDrawn(chance)
  const { calls } = settings.causedMax
  return { ...settings, unattendedMax: calls < 200 ? 2 * calls : 1_000 }
}

function settingsDrawn(chance: Chance): AgentSettings {
  return settingsWith({
    model: 'sim',
    thinking: chance.oneIn(2) ? 'off' : 'adaptive',
    roundsMax: 1 + chance.below(5),
    childRoundsMax: 1 + chance.below(5),
    depthMax: 1 + chance.below(4),
    childrenMax: 1 + chance.below(5),
    runningMax: 1 + chance.below(3),
    runsMax: 1 + chance.below(3),
    forkIdleMs: chance.pick([60_000, 600_000]),
    dayLimit: chance.oneIn(6) ? { unit: 'tokens', max: 1_000 + chance.below(3_000) } : null,
    causedMax: chance.oneIn(4)
      ? { calls: 1 + chance.below(12), tokens: 50 + chance.below(3_000), branches: chance.below(4) }
      : { calls: 200, tokens: 1_000_000, branches: 16 },
    retryMs: 1_000,
    recentMin: chance.below(4),
    window: windowBy(chance),
    recall: { limit: 1 + chance.below(6), snippetTokensMax: 100, acrossClear: chance.oneIn(4) },
    compactionModel: chance.pick(['sim', 'offline']),
    approvalTimeoutMs: 600_000,
    permissions: chance.pick(['dontAsk', 'dontAsk', 'default', 'default', 'acceptEdits']),
    runTimeoutMs: chance.pick([20_000, 600_000, 1_800_000]),
    pings: pingsBy(chance),
    digestAt: chance.oneIn(6) ? chance.below(24 * 60) : null,
  })
}

function pingsBy(chance: Chance): AgentSettings['pings'] {
  return {
    capacity: chance.pick([1, 1, 2, 4]),
    refillMinutes: chance.pick([1, 30, 90, 600]),
    criticalMax: chance.pick([0, 0, 1, 2]),
    ttlMs: chance.pick([120_000, 600_000, 1_800_000]),
    busyMs: chance.pick([0, 0, 0, 5_000, 60_000]),
    to: chance.oneIn(6) ? 'sim:phone' : null,
  }
}

/** So small that a life of some minutes outgrows it. */
function windowBy(chance: Chance): AgentSettings['window'] {
  const windowMessages = 4 + chance.below(8)
  const thresholdMessages = windowMessages + 4 + chance.below(8)
  return {
    policy: chance.oneIn(3) ? 'explicit' : 'managed',
    windowMessages,
    thresholdMessages,
    truncationMessages: thresholdMessages + 6 + chance.below(10),
    shareMin: 0,
    historyTokensMax: null,
    summaryTokensMax: 200,
  }
}
