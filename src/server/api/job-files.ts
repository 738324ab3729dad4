import { z } from 'zod'
import { isoIn } from '../../base/time-text.ts'
import { checkJobFile, editJobFile } from '../../runtime/home/job-edit.ts'
import { nextTimes } from '../../view/jobs.ts'
import { Refusal, route, type Route } from '../contract/route.ts'

const file = z.string().min(1).max(1_000).describe("from the workspace: 'routines/brief.md'")
const time = z.iso.datetime({ offset: true })
const PREVIEWED = 5

/** Job files, as a person edits them. */
export const jobFileRoutes: readonly Route[] = [
  route('GET /api/job-file', {
    summary: 'The text of a job file, also of one that cannot be used',
    query: z.strictObject({ file }),
    answer: z.strictObject({ text: z.string() }),
    handle: async ({ served: { life }, query }) => {
      const text = await life.desk.workspace.read(query.file)
      if (text === undefined) throw new Refusal(404, `There is no file '${query.file}' in the workspace.`)
      return { text }
    },
  }),

  route('POST /api/job-file/check', {
    summary: 'Reads a job file that is not saved: its next times, or what is wrong with it',
    body: z.strictObject({ file, text: z.string() }),
    answer: z.strictObject({
      problem: z.strictObject({ line: z.int().min(1), reason: z.string() }).nullable(),
      warnings: z.array(z.string()),
      times: z.array(time),
    }),
    handle: async ({ served: { life }, body }) => {
      const { shelf, now, settings } = life.desk
      const read = await checkJobFile(shelf, body)
      if ('problem' in read) return { problem: read.problem, warnings: [], times: [] }
      const { zone } = settings()
      const look = { now: now(), zone, count: PREVIEWED }
      const times = await life.log.read((reader) => nextTimes(reader, read.definition, look))
      return { problem: null, warnings: read.warnings, times: times.map((at) => isoIn(at, zone)) }
    },
  }),

  route('POST /api/job-file', {
    summary: 'Saves or deletes a job file, unless it has changed since; the same again does nothing more',
    body: z.strictObject({
      file,
      /** What you saw; null: there was no file. */
      before: z.string().nullable(),
      /** Null: delete it. */
      after: z.string().nullable(),
    }),
    answer: z.strictObject({}),
    handle: async ({ served: { home, life }, body }) => {
      const refused = await editJobFile({ home, shelf: life.desk.shelf }, body)
      if (refused !== undefined) throw new Refusal(refused.isOvertaken ? 409 : 400, refused.problem)
      return {}
    },
  }),
]
