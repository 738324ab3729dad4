import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import type { z } from 'zod'

/** `bad`: why it is nothing to be read, and never will be. Undefined: there is nothing to read now. */
export type DropRead<T> = { readonly value: T } | { readonly bad: string } | undefined

export interface Dropped<T> {
  readonly schema: z.ZodType<T>
  readonly bytesMax: number
  /** `an update` */
  readonly thing: string
}

export async function readDropped<T>(
  path: string,
  { schema, bytesMax, thing }: Dropped<T>,
): Promise<DropRead<T>> {
  const read = await textAt(path, bytesMax)
  if (read === undefined || 'bad' in read) return read
  const { success, data } = schema.safeParse(jsonIn(read.text))
  return success ? { value: data } : { bad: `it is not written as ${thing} is` }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

/** Anybody may put something there: a folder, a pipe on which one would wait for ever, a file of any size. */
async function textAt(
  path: string,
  bytesMax: number,
): Promise<{ readonly text: string } | { readonly bad: string } | undefined> {
  try {
    const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      if (!(await file.stat()).isFile()) return { bad: 'it is no file but a folder, a pipe or a device' }
      const bytes = await bytesOf(file, bytesMax)
      if (bytes.length > bytesMax) return { bad: `it has more than ${bytesMax / 1_024} KB` }
      return { text: bytes.toString('utf8') }
    } finally {
      await file.close()
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const because = BAD[code]
    return because === undefined ? undefined : { bad: because }
  }
}

/** Errors that do not pass; one that was taken by another process meanwhile is not among them. */
const BAD: Readonly<Record<string, string>> = {
  ELOOP: 'it is a link',
  EMLINK: 'it is a link',
  EISDIR: 'it is a folder',
  ENXIO: 'it is no file but a pipe or a device',
  EACCES: 'this program may not read it',
  EPERM: 'this program may not read it',
}

/** One byte more than fits at most. */
async function bytesOf(file: FileHandle, bytesMax: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytesMax + 1)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}
