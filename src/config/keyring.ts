import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { specOf } from './table/key.ts'
import { type Key, keys } from './table/settings.ts'
import { configFile, type Place } from './table/source.ts'

/** Stands in config.json in the place of a key that the keyring has (KEY1). No key of a provider is this word. */
export const IN_KEYRING = 'keyring'

/** Settings that the keyring can hold. The token of the server has a file of its own. */
export const KEPT_KEYS: readonly Key[] = keys.filter((key) => specOf(key).isSecret && key !== 'token')

export type KeyFound = { readonly secret: string } | { readonly problem: string }

/** Somebody may have to unlock it in a window first. */
const ANSWER_MS_MAX = 10_000

/**
 * The keyring of the system, by the program that comes with it: secret-tool speaks to any Secret Service, security to the
 * keychain of macOS. A program can be given up when it waits for somebody who is not there, and no code of a keyring runs
 * in this process. Secrets are on its standard input only, since other users see arguments. Problems end "the keyring …".
 */
export class Keyring {
  readonly #place: Place
  readonly #isMac: boolean
  readonly #timeoutMs: number

  constructor(place: Place, { platform = process.platform, timeoutMs = ANSWER_MS_MAX } = {}) {
    this.#place = place
    this.#isMac = platform === 'darwin'
    this.#timeoutMs = timeoutMs
  }

  /** What was read before counts until config.json changes, and also after that where the keyring has been locked. */
  read(key: Key): KeyFound {
    const [name, stamp] = [this.#name(key), this.#stamp()]
    const known = read.get(name)
    if (known?.stamp === stamp) return known.found
    const now = this.#readNow(key)
    const found = 'problem' in now && known !== undefined ? known.found : now
    read.set(name, { stamp, found })
    return found
  }

  /** Why it could not be kept; undefined: it is there, and was read back. */
  write(key: Key, secret: string): string | undefined {
    mkdirSync(this.#place.home, { recursive: true, mode: 0o700 })
    const ran = this.#isMac
      ? this.#run(
          ['-i'],
          `add-generic-password -U ${this.#words(key).join(' ')} -X ${Buffer.from(secret).toString('hex')}\n`,
        )
      : this.#run(['store', `--label=Mainstem: ${key}`, ...this.#words(key)], secret)
    if ('problem' in ran) return ran.problem
    const kept = this.#readNow(key)
    if ('problem' in kept) return kept.problem
    if (kept.secret !== secret) return 'kept something else than it was given'
    read.set(this.#name(key), { stamp: this.#stamp(), found: kept })
    return undefined
  }

  /** A key that stays behind is in two places, and in no danger of being lost. */
  remove(key: Key): void {
    this.#run([this.#isMac ? 'delete-generic-password' : 'clear', ...this.#words(key)])
    read.delete(this.#name(key))
  }

  #readNow(key: Key): KeyFound {
    const ran = this.#isMac
      ? this.#run(['find-generic-password', ...this.#words(key), '-w'])
      : this.#run(['lookup', ...this.#words(key)])
    if ('problem' in ran) return ran
    const secret = ran.said.replace(/\n$/, '')
    return secret === '' ? { problem: 'is locked, or does not have it' } : { secret }
  }

  #run(args: readonly string[], input = ''): { readonly said: string } | { readonly problem: string } {
    const program = this.#isMac ? 'security' : 'secret-tool'
    const { environment } = this.#place
    const env = Object.fromEntries(PASSED.map((name) => [name, environment[name]]))
    const path = environment['PATH']?.split(':').filter(isAbsolute).join(':')
    const timeout = this.#timeoutMs
    const ran = spawnSync(program, args, { input, env: { ...env, PATH: path }, timeout, encoding: 'utf8' })
    const { code } = (ran.error ?? {}) as NodeJS.ErrnoException
    if (code === 'ENOENT') return { problem: `cannot be reached: ${program} is not installed` }
    if (code === 'ETIMEDOUT')
      return { problem: `did not answer within ${timeout / 1_000} s; it may be locked` }
    if (ran.error) return { problem: `cannot be reached: ${program} failed (${code})` }
    // Both say nothing, or only that nothing is there, where they found none; what they say of the rest is for people.
    const told = /[^\n]{1,200}/.exec(ran.stderr)?.[0]
    if (ran.status !== 0 && told !== undefined && !this.#isMac) return { problem: `cannot be used: ${told}` }
    return { said: ran.status === 0 ? ran.stdout : '' }
  }

  /** What the key stands under: homes do not share keys. */
  #words(key: Key): readonly string[] {
    const home = homeName(this.#place.home)
    return this.#isMac
      ? ['-a', home, '-s', `mainstem.${key}`]
      : ['application', 'mainstem', 'home', home, 'key', key]
  }

  #name(key: Key): string {
    return `${homeName(this.#place.home)} ${key}`
  }

  #stamp(): number {
    return statSync(configFile(this.#place.home), { throwIfNoEntry: false })?.mtimeMs ?? 0
  }
}

const read = new Map<string, { readonly stamp: number; readonly found: KeyFound }>()

/** What these programs need to find the keyring and to ask for its password. No key of ours is among them. */
const PASSED = [
  'HOME',
  'USER',
  'LANG',
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'DISPLAY',
  'WAYLAND_DISPLAY',
]

function homeName(home: string): string {
  return createHash('sha256').update(realpathSync(home)).digest('hex').slice(0, 16)
}
