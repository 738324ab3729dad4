import type { JobRead } from '../../agent/run/run-act.ts'
import { type Said, ok, refusal } from '../../agent/contract/act.ts'
import type { JsonObject } from '../../base/json.ts'
import { conclude, type Desk, type OrderOf } from '../desk/desk.ts'
import { beginRun } from '../desk/start-run.ts'
import { updatesText } from '../../view/updates-text.ts'
import { updatesView } from '../../view/updates.ts'

/** Starts a background run from a file of the workspace. */
export async function runRun(desk: Desk, order: OrderOf<'run'>): Promise<Said | undefined> {
  const read = await jobAsked(desk, order.command.text)
  return conclude(desk, order, (writing, actor) => {
    if ('problem' in read) return refusal(read.problem)
    const said = beginRun(writing, actor, read.job)
    if (said.isError) return said
    return { ...said, text: [`${said.text} /agents shows it.`, ...read.warnings].join('\n') }
  })
}

/** `webhooks/build.md {"branch": "main"}`: the data of a webhook stands behind its file. */
async function jobAsked({ jobIn }: Desk, text: string): Promise<JobRead> {
  const { path = text, json } = /^(?<path>.+?\.md)\s+(?<json>\{.*\})$/isu.exec(text)?.groups ?? {}
  if (json === undefined) return jobIn(path)
  try {
    return await jobIn(path, JSON.parse(json) as JsonObject)
  } catch (error) {
    if (error instanceof SyntaxError)
      return { problem: `The data behind ${path} is no JSON: ${error.message}` }
    throw error
  }
}

/** Shows what main gets next, or has got. Viewing doesn't consume it. */
export function runUpdates(desk: Desk, order: OrderOf<'updates'>): Promise<Said | undefined> {
  const which = order.command.all ? 'all' : 'pending'
  return conclude(desk, order, (writing, { branch, at: now, settings: { zone } }) =>
    ok(updatesText(updatesView(writing, { branch, which, zone }), { now, which })),
  )
}
