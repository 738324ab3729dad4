import { createHash, timingSafeEqual } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../../base/random.ts'
import { errorText, readText } from '../../base/regular-file.ts'
import { LogError } from '../../log/log.ts'

/** 256 random bits, in 43 characters that fit into a header, a cookie and a link. */
export function newSecret(random: Random): string {
  return Buffer.from(Uint32Array.from({ length: 8 }, random).buffer).toString('base64url')
}

/** Secrets are stored and looked up by this: neither a file nor the time of a lookup tells anything about them. */
export function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Takes equally long wherever the texts differ, and however long they are. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(digestOf(given)), Buffer.from(digestOf(expected)))
}

/** The token of a home, from its file, which is made at the first start. */
export function tokenOf(home: string, random: Random): string {
  const file = join(home, 'token')
  const read = readText(file, { links: 'refuse' })
  if ('problem' in read) {
    if (read.code !== 'ENOENT') throw unusable(file, read.problem)
    return writtenToken(file, newSecret(random))
  }
  const token = read.text.trim()
  if (!/^[!-~]{32,}$/.test(token)) throw unusable(file, 'is not a token of at least 32 characters')
  chmodSync(file, 0o600)
  return token
}

function writtenToken(file: string, token: string): string {
  try {
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' })
    return token
  } catch (cause) {
    throw new LogError(
      'unreadable',
      `Could not write ${file}: ${errorText(cause)}. Free some space, or make the home writable`,
      cause,
    )
  }
}

function unusable(file: string, problem: string): LogError {
  return new LogError('unreadable', `${file} ${problem}. Delete it, and the next start makes a new one`)
}
