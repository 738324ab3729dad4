import { messageOf } from '../base/message-of.ts'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

const KIB_MAX = 256
const BYTES_MAX = KIB_MAX * 1024

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

/** The text of a file of up to 256 KiB, or its problem. */
export function readText(
  path: string,
  links: 'follow' | 'refuse' = 'follow',
): { readonly text: string } | { readonly problem: string } {
  try {
    // Non-blocking: opening a pipe would wait until somebody writes to it.
    const descriptor = openSync(path, O_RDONLY | O_NONBLOCK | (links === 'refuse' ? O_NOFOLLOW : 0))
    try {
      if (!fstatSync(descriptor).isFile()) return { problem: 'is no file' }
      return decode(readUpTo(descriptor, BYTES_MAX + 1))
    } finally {
      closeSync(descriptor)
    }
  } catch (cause) {
    return { problem: `cannot be read (${errorText(cause)})` }
  }
}

/** `EACCES: permission denied`, without the path that Node adds. */
export function errorText(cause: unknown): string {
  const text = messageOf(cause)
  return text.split(', ')[0] ?? text
}

function decode(bytes: Buffer): { text: string } | { problem: string } {
  if (bytes.length > BYTES_MAX) return { problem: `is larger than ${KIB_MAX} KiB` }
  // Providers refuse it in a prompt, and with it every turn that has it.
  if (bytes.includes(0)) return { problem: 'is not text: it contains a NUL byte' }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { problem: 'is no UTF-8 text' }
  }
}

function readUpTo(descriptor: number, bytesMax: number): Buffer {
  const buffer = Buffer.alloc(Math.min(bytesMax, fstatSync(descriptor).size + 1))
  let length = 0
  for (let read = -1; read !== 0 && length < buffer.length; length += read)
    read = readSync(descriptor, buffer, { offset: length })
  return buffer.subarray(0, length)
}
