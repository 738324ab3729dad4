import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../../base/clock.ts'
import { parsedJson } from '../../base/json.ts'
import type { Random } from '../../base/random.ts'
import { readText } from '../../base/regular-file.ts'
import { LogError } from '../../log/log.ts'
import { digestOf, newSecret } from './secrets.ts'

/** A browser that signed in. Its secret is in its cookie; the file has only a digest of it. */
const stored = z.strictObject({
  id: z.string(),
  digest: z.string(),
  /** As the browser calls itself, cut and in plain letters. */
  browser: z.string(),
  signedInAt: z.int(),
  /** To the hour. */
  seenAt: z.int(),
})
type Session = z.infer<typeof stored>

export const SESSION_DAYS = 30
const LASTS_MS = SESSION_DAYS * 86_400_000
const SEEN_STEP_MS = 3_600_000
/** Beyond this many, the oldest is signed out. */
const COUNT_MAX = 100
const BROWSER_MAX = 200

/** The signed-in browsers of a home. They stay signed in across restarts. */
export class Sessions {
  readonly #file: string
  readonly #now: Clock
  readonly #random: Random
  #sessions: Session[]

  constructor(home: string, { now, random }: { readonly now: Clock; readonly random: Random }) {
    this.#file = join(home, 'sessions.json')
    this.#now = now
    this.#random = random
    this.#sessions = readSessions(this.#file)
  }

  /** Makes a session. Its secret is told once, here. */
  open(browser: string): string {
    const [secret, at] = [newSecret(this.#random), this.#now()]
    const session = {
      id: digestOf(newSecret(this.#random)).slice(0, 8),
      digest: digestOf(secret),
      browser: browser.replaceAll(/[^ -~]/g, '').slice(0, BROWSER_MAX),
      signedInAt: at,
      seenAt: at,
    }
    this.#keep([...this.list(), session].slice(-COUNT_MAX))
    return secret
  }

  /** Those that make room for the next one, the oldest. */
  surplus(): readonly Session[] {
    return this.list().slice(0, -(COUNT_MAX - 1))
  }

  find(secret: string): Session | undefined {
    const [digest, at] = [digestOf(secret), this.#now()]
    const found = this.list().find((session) => session.digest === digest)
    if (found === undefined || at - found.seenAt < SEEN_STEP_MS) return found
    const seen = { ...found, seenAt: at }
    try {
      this.#keep(this.list().map((session) => (session === found ? seen : session)))
    } catch {
      // A full disk signs nobody out; the time is only for people.
    }
    return seen
  }

  /** Those that have not expired, oldest first. */
  list(): readonly Session[] {
    const since = this.#now() - LASTS_MS
    return this.#sessions.filter(({ signedInAt }) => signedInAt > since)
  }

  /** False: there is no such session. */
  revoke(id: string): boolean {
    const left = this.list().filter((session) => session.id !== id)
    if (left.length === this.list().length) return false
    this.#keep(left)
    return true
  }

  #keep(sessions: Session[]): void {
    const unfinished = `${this.#file}.unfinished`
    // A new file: if a link stood there, writing through it would overwrite what it points to.
    rmSync(unfinished, { force: true })
    writeFileSync(unfinished, `${JSON.stringify(sessions, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(unfinished, this.#file)
    this.#sessions = sessions
  }
}

function readSessions(file: string): Session[] {
  const read = readText(file, { links: 'refuse' })
  if ('problem' in read) {
    if (read.code === 'ENOENT') return []
    throw new LogError('unreadable', `${file} ${read.problem}. Move it away; browsers then sign in again`)
  }
  // A broken file signs everybody out: they open another link.
  return z.array(stored).safeParse(parsedJson(read.text)).data ?? []
}
