import type { AgentSettings } from '../../../src/agent/settings.ts'
import type { PermissionMode } from '../../../src/permission/judge.ts'
import type { Chance } from './chance.ts'
import { settingsWith, type Config } from './join.ts'
import { Recent } from './recent.ts'
import type { Versions } from './sim-tools.ts'

/** What outlives a process besides its log: what people set, and what lies on the disk. */
export class SimConfig implements Config {
  system = 'You are a test.'
  readonly files = new Map<string, string>()
  readonly versions: Versions = { ship: 1, far: 1 }
  readonly mode: Recent<PermissionMode>
  #settings: AgentSettings

  constructor(settings: AgentSettings) {
    this.#settings = settings
    this.mode = new Recent(settings.permissions)
  }

  get settings(): AgentSettings {
    return this.#settings
  }

  configure(key: string, value: string | number): void {
    this.#settings = { ...this.#settings, [key]: value }
    if (key === 'permissions') this.mode.change(this.#settings.permissions)
  }
}

/** Such as bring much about in a short life. */
export function settingsBy(chance: Chance): AgentSettings {
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
    retryMs: 1_000,
    recentMin: chance.below(4),
    window: windowBy(chance),
    recall: { limit: 1 + chance.below(6), snippetTokensMax: 100, acrossClear: chance.oneIn(4) },
    compactionModel: chance.pick(['sim', 'offline']),
    permissions: chance.pick(['dontAsk', 'dontAsk', 'default', 'default', 'acceptEdits']),
  })
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
    summaryTokensMax: 200,
  }
}
