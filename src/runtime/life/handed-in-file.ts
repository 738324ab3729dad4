import { z } from 'zod'
import { oneLine } from '../../base/width.ts'
import { UPDATE_BYTES_MAX } from '../../mcp/report-updates.ts'
import type { Dropped } from './drop-file.ts'

/** Of the file of an update; its text has escapes there. */
export const UPDATE_FILE_BYTES_MAX = 64 * 1_024
export const SOURCE_MAX = 80

const schema = z.strictObject({
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

/** How the file of an update is written. */
export const updateFile: Dropped<z.infer<typeof schema>> = {
  schema,
  bytesMax: UPDATE_FILE_BYTES_MAX,
  thing: 'an update',
}
