import type { AgentSettings } from '../../../src/agent/settings.ts'
import type { PermissionMode } from '../../../src/permission/judge.ts'
import type { Config } from './join.ts'
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
