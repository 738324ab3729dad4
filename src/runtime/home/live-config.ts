import { statSync } from 'node:fs'
import { systemZone } from '../../base/environment.ts'
import type { AgentSettings } from '../../agent/state/settings.ts'
import { ConfigError, readConfig, type ReadConfig } from '../../config/config.ts'
import type { ConfigSources } from '../../config/provider-access.ts'
import { refusedHere } from '../../command/read/rights.ts'
import { findKey, specOf } from '../../config/table/key.ts'
import type { Config, Key } from '../../config/table/settings.ts'
import {
  configFile,
  envFile,
  sourceText,
  sourceWord,
  type Place,
  type Source,
} from '../../config/table/source.ts'
import { type DayLimit, guestsIn } from '../../config/type/domain-type.ts'
import { setInFile, unsetInFile } from '../../config/write.ts'
import { changeSaid } from './config-change.ts'
import type { Json } from '../../base/json.ts'
import type { Origin } from '../../event/speaker.ts'
import { addressesOf } from '../../tool/web/web-address.ts'

/** The configuration of a running process. A change of its files takes effect at the next read of `values`. */
export class LiveConfig {
  readonly #place: Place
  readonly #warn: (text: string) => void
  #read: ReadConfig
  #stamp: string

  /** Throws a ConfigError: nothing starts with an invalid configuration. */
  constructor(place: Place, warn: (text: string) => void) {
    this.#place = place
    this.#warn = warn
    this.#stamp = this.#stampNow()
    this.#read = readConfig(place)
  }

  get values(): Config {
    return this.current.values
  }

  /** With where each value comes from. */
  get current(): ReadConfig {
    const stamp = this.#stampNow()
    if (stamp !== this.#stamp) {
      this.#stamp = stamp
      this.#readAgain()
    }
    return this.#read
  }

  readonly sourceOf = (key: Key): Source => this.#read.sourceOf(key)

  get warnings(): readonly string[] {
    return this.#read.warnings
  }

  /** Sets a value in config.json. Returns why it could not. */
  set(name: string, value: Json): string | undefined {
    const key = findKey(name)
    if (key === undefined) return `There is no setting '${name}'.`
    const change = setInFile(this.#place, key, value)
    if (change.kind === 'wrong') return change.because
    if (change.kind === 'pinned')
      return `${key} is set by ${sourceText(change.setting.source)}, which overrides config.json. Change it there.`
    return undefined
  }

  /** Sets a value in config.json as a person writes it, or removes it there, and says so. */
  change(
    origin: Origin,
    key: Key,
    text: string | null,
  ): ReturnType<typeof changeSaid> | { readonly kind: 'refused'; readonly because: string } {
    const json = text === null ? undefined : specOf(key).type.fromText(text)
    const because = refusedHere(origin, { key, json })
    if (because !== undefined) return { kind: 'refused', because }
    const change = json === undefined ? unsetInFile(this.#place, key) : setInFile(this.#place, key, json)
    return changeSaid(this.#place, key, change)
  }

  /** An invalid configuration is reported and the old values stay: a file is often invalid while it is edited. */
  #readAgain(): void {
    try {
      this.#read = readConfig(this.#place)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      this.#warn(`The configuration is invalid now, so the old values stay in use: ${error.message}`)
    }
  }

  #stampNow(): string {
    return [configFile(this.#place.home), envFile(this.#place.home)]
      .map((file) => statSync(file, { throwIfNoEntry: false }))
      .map((stat) => (stat === undefined ? '' : `${stat.mtimeMs} ${stat.size} ${stat.ino}`))
      .join('|')
  }
}

export function agentSettings(
  { values, sourceOf }: ConfigSources,
  ownZone: string = systemZone(),
): AgentSettings {
  const guests = guestsIn(values.guests)
  return {
    model: values.model ?? 'offline',
    modelFrom: values.model === null ? null : (sourceWord(sourceOf('model')) ?? 'default'),
    thinking: values.thinking,
    ...stepsOf(values),
    roundsMax: values.maxToolCalls,
    childRoundsMax: values.childMaxRounds,
    depthMax: values.depthMax,
    childrenMax: values.childrenMax,
    runningMax: values.runningMax,
    runsMax: values.bgConcurrency,
    runTimeoutMs: values.bgForkTimeout * 1_000,
    zone: values.timezone ?? ownZone,
    dayLimit: values.costDayMax,
    guestDayLimit: guests.each ?? guestShare(values.costDayMax),
    dayWarn: values.costDayWarn,
    priceUnknown: values.priceUnknown,
    causedMax: causedMaxOf(values),
    unattendedMax: values.unattendedMaxCalls,
    progressMs: values.progressThrottle,
    retryMs: values.cbBackoff[0] ?? 1_000,
    recentMin: values.historyWindow,
    window: {
      policy: values.contextPolicy,
      windowMessages: values.historyWindow,
      thresholdMessages: values.compactionThreshold,
      truncationMessages: values.truncationLimit,
      shareMin: values.compactionShare / 100,
      historyTokensMax: values.historyTokens,
      summaryTokensMax: values.compactionMaxTokens,
    },
    ...summariserOf(values),
    permissions: values.permissions,
    web: { openHosts: values.web.openHosts, addresses: addressesIn(values) },
    approvalTimeoutMs: values.approvalTimeout,
    forkIdleMs: values.forkIdleTimeout * 1_000,
    pings: {
      capacity: values.pingCapacity,
      refillMinutes: values.pingRefillMinutes,
      criticalMax: values.pingCriticalMax,
      ttlMs: values.pingTtl * 1_000,
      busyMs: values.busyQuietSeconds * 1_000,
      to: values.pings.to,
    },
    quietHours: values.quietHours,
    digestAt: values.digestAt,
    guests: Object.fromEntries(
      Object.entries(guests.people).map(([id, { timezone, quietHours, costDayMax }]) => [
        id,
        {
          ...(timezone !== undefined && { zone: timezone }),
          ...(quietHours !== undefined && { quietHours }),
          ...(costDayMax !== undefined && { ownDayLimit: costDayMax }),
        },
      ]),
    ),
    links: values.links,
    rateLimit: { max: values.rateLimitMax, windowMs: values.rateLimitWindow },
    recall: {
      limit: values.recallLimit,
      snippetTokensMax: values.recallSnippetTokens,
      acrossClear: values.recallAcrossClear,
    },
  }
}

/** Looked for once in each reading of the configuration. */
const addresses = new WeakMap<Config, readonly string[]>()

function addressesIn(values: Config): readonly string[] {
  const found = addresses.get(values) ?? addressesOf(JSON.stringify(values), 'whole')
  addresses.set(values, found)
  return found
}

function stepsOf(values: Config): Pick<AgentSettings, 'chat' | 'afterTools'> {
  return {
    chat: { tokensMax: values.chatMaxTokens, temperature: values.chatTemperature },
    afterTools: { tokensMax: values.toolMaxTokens, temperature: values.toolTemperature },
  }
}

function summariserOf({ compactionModel, summaryModel, model }: Config) {
  const own = compactionModel ?? summaryModel
  return { compactionModel: own ?? model ?? 'offline', hasCompactionModel: own !== null }
}

function causedMaxOf({
  causedMaxCalls: calls,
  causedMaxTokens: tokens,
  causedMaxBranches: branches,
}: Config) {
  return { calls, tokens, branches }
}

/** What each guest may use in a day, where nobody said otherwise. */
function guestShare(limit: DayLimit | null): DayLimit {
  return limit === null ? { unit: 'money', max: 1 } : { ...limit, max: limit.max / 10 }
}
