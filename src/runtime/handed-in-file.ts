import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { z } from 'zod'
import { oneLine } from '../base/width.ts'
import { UPDATE_BYTES_MAX } from '../mcp/report-updates.ts'

/** Of the file of an update; its text has escapes there. */
export const UPDATE_FILE_BYTES_MAX = 64 * 1_024
export const SOURCE_MAX = 80

/** `bad`: why it is no update, and never will be one. Undefined: there is nothing to read now. */
export type UpdateRead =
  | { readonly update: { readonly text: string; readonly source: string; readonly at: number } }
  | { readonly bad: string }
  | undefined

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

/** Anybody may put something there: a folder, a pipe on which one would wait for ever, a file of any size. */
export async function readUpdate(path: string): Promise<UpdateRead> {
  try {
    const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      if (!(await file.stat()).isFile()) return { bad: 'it is no file but a folder, a pipe or a device' }
      return updateIn(await bytesOf(file))
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
async function bytesOf(file: FileHandle): Promise<Buffer> {
  const buffer = Buffer.alloc(UPDATE_FILE_BYTES_MAX + 1)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

const updateSchema = z.strictObject({
  text: z
    .string()
    .refine((text) => text.trim() !== '' && Buffer.byteLength(text) <= UPDATE_BYTES_MAX)
    .transform((text) => text.toWellFormed()),
  source: z
    .string()
    .min(1)
    .max(SOURCE_MAX)
    .refine((source) => source === oneLine(source)),
  at: z.int().min(0),
})

function updateIn(bytes: Buffer): UpdateRead {
  if (bytes.length > UPDATE_FILE_BYTES_MAX)
    return { bad: `it has more than ${UPDATE_FILE_BYTES_MAX / 1_024} KB` }
  const { success, data } = updateSchema.safeParse(jsonIn(bytes.toString('utf8')))
  return success ? { update: data } : { bad: 'it is not written as an update is' }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
