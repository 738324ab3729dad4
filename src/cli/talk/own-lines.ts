import { counted } from '../../base/words.ts'
import { OwnerGone } from '../../client/socket.ts'
import { EventError } from '../../event/codec.ts'
import { beginAsked } from '../../runtime/terminal/asked-run.ts'
import { killRun } from '../../command/desk/start-run.ts'
import { Conversation } from '../../runtime/terminal/conversation.ts'
import { CommandError } from '../frame/command.ts'
import type { Output } from '../frame/output.ts'
import { reminderFiles, sayRemindersLeft } from './jobs-left.ts'
import { HANDED_OVER_MS } from './join.ts'
import type { Here, Place } from './lines-place.ts'
import { openOwnLife } from './own-life.ts'
import { startNotices } from './start-notices.ts'

/** Time for MCP servers to connect: a single question should already have their tools. */
const SERVERS_MS = 3_500

/** Says lines in a life of this process. `isAgain`: something was said before, and is continued first. */
export async function openOwnLines(here: Here, { isAgain }: { isAgain: boolean }): Promise<Place> {
  const { call, options, ending, thread, print, remark } = here
  const { home, environment, flags, err } = call
  const { command, schedules = false, exit, opening } = options
  const { signal, fail, onEnd } = ending
  const place = { home, environment, flags, command, schedules }
  const own = await openOwnLife({ ...place, fail, warn: remark, serversMs: SERVERS_MS })
  const { life, seats } = own
  const conversation = new Conversation({ life, seats, thread, print, remark, ...(exit && { exit }) })
  const leaving = new AbortController()
  const close = async (): Promise<void> => {
    if (leaving.signal.aborted) return
    leaving.abort()
    conversation.close()
    await own.close()
  }
  onEnd(close)
  // Nobody else is here who could be shown it.
  conversation.sit()
  if (schedules) own.listen({ rank: 'chat' }).catch(fail)
  const release = async (): Promise<void> => {
    await own.isWanted
    await close()
    here.lost(HANDED_OVER_MS)
  }
  const released = release()
  released.catch(fail)
  for (const notice of await startNotices(life, { home, way: 'command' }))
    await err.now(`mainstem: ${notice}`)
  // A single question mentions only the reminders it added; otherwise all of them.
  const known = schedules ? new Set<string>() : reminderFiles(life)
  if (!isAgain)
    await conversation.catchUp(AbortSignal.any([signal, leaving.signal, ...(opening ? [opening] : [])]))
  return {
    say: async ({ patience, ...wish }) => {
      const later = 'when mainstem runs again'
      const over = patience && { ...patience, over: AbortSignal.timeout(patience.ms), later }
      const told = await conversation
        .say({ ...wish, origin: options.origin, signal, patience: over })
        .catch(refused)
      if (!leaving.signal.aborted || signal.aborted) return told
      await released
      throw new OwnerGone('the log was handed over')
    },
    begin: async (wish) => {
      const begun = await beginAsked(life, wish)
      if ('problem' in begun) throw new CommandError(begun.problem)
      return begun
    },
    kill: (run) => killRun(life.desk, run),
    flush: () => conversation.flush(),
    rest: async (waitMs) => {
      const left = await conversation.linger(waitMs, signal)
      await conversation.compacted(signal)
      await conversation.flush()
      conversation.close()
      // The clients that are still there go on.
      if (signal.aborted || !seats.isEmpty) return
      await sayLeft(err, left)
      await sayRemindersLeft(life, { err, known })
    },
  }
}

/** What is too long for the log is refused, and the next input may be fine. */
function refused(error: unknown): never {
  if (error instanceof EventError) throw new CommandError(error.message, { cause: error })
  throw error
}

/** Work that is left continues only when the program runs again. */
export async function sayLeft(err: Output, branches: number): Promise<void> {
  if (branches === 0) return
  const what = counted(branches, 'branch', 'branches')
  await err.now(`mainstem: Still working: ${what}. This continues when mainstem runs again.`)
}
