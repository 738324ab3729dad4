import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { stopwatchMs } from '../../base/clock.ts'
import { isoAt } from '../../base/time-text.ts'
import { sentence } from '../../base/words.ts'
import { OwnerClient, OwnerGone, OwnerRefusal, type SocketOrigin } from '../../client/socket.ts'
import { MODEL_FLAG } from '../../config/table/source.ts'
import { LogError } from '../../log/log.ts'
import { readOwner, type Owner } from '../../owner/owner-file.ts'

/** How a process works on a home: it has opened the log itself, or it is attached to the process that has. */
export type Joined<Opened> =
  | { readonly kind: 'attached'; readonly client: OwnerClient; readonly owner: Owner }
  | { readonly kind: 'opened'; readonly opened: Opened }

export interface Joining<Opened> {
  readonly home: string
  /** Where what is asked of the owner comes from; left out: a program. */
  readonly origin?: SocketOrigin
  /** Opens the log in this process. Throws a LogError `in-use` if another process has it. */
  readonly open: () => Promise<Opened>
  /**
   * `attach`: to any owner. `take-over`: a chat or a pipe is asked to hand over, and another `serve` is an error. An
   * option such as `--model` has to have the log for itself, so any owner is an error.
   */
  readonly beside: 'attach' | 'take-over' | `--${string}`
  /** For so long only attach: another owner is about to come. */
  readonly attachFirstMs?: number
  readonly timeoutMs?: number
  readonly signal: AbortSignal
  /** Called once if it takes long, with a sentence that says who is in the way. */
  readonly onWait?: (why: string) => void
}

/** Settings of the command line are for a life of this process, so it cannot attach. */
export function besideFor(flags: Readonly<Record<string, string>>): 'attach' | '--model' | '--set' {
  if (MODEL_FLAG in flags) return '--model'
  return Object.keys(flags).length > 0 ? '--set' : 'attach'
}

/** How long a process that handed the log over waits for the one that asked for it. */
export const HANDED_OVER_MS = 5_000

const STEP_MS = 50
const LONG_MS = 2_000
const TIMEOUT_MS = 120_000

/**
 * Attaches to the owner of the home's log, or opens the log, whatever is possible first. A process that is just starting
 * or works for a moment is waited for. Throws a LogError `in-use` if that takes too long.
 */
export async function join<Opened>(joining: Joining<Opened>): Promise<Joined<Opened>> {
  const { home, origin, beside, attachFirstMs = 0, timeoutMs = TIMEOUT_MS, signal, onWait } = joining
  const since = stopwatchMs()
  let isTold = false
  for (;;) {
    const found = await answerOf(readOwner(home), () => ownerOf(home, signal, origin), onWait)
    if (found !== undefined) {
      if (beside === 'attach') return { kind: 'attached', ...found }
      await outrank(found, beside)
    }
    const waitedMs = stopwatchMs() - since
    const tried = waitedMs < attachFirstMs ? noOwner(home) : await opening(joining)
    if (!(tried instanceof LogError)) return tried
    if (waitedMs >= timeoutMs) throw tried
    if (waitedMs >= LONG_MS && !isTold) onWait?.(sentence(`Waiting: ${tried.message.split('; ', 1)[0]}`))
    isTold ||= waitedMs >= LONG_MS
    await sleep(STEP_MS, undefined, { signal })
  }
}

/** Waits for an answer of an owner, and says once if it takes long: a process that was stopped takes calls, but answers none. */
export async function answerOf<T>(
  owner: Pick<Owner, 'command' | 'pid' | 'since'> | undefined,
  call: () => Promise<T>,
  onWait: Joining<unknown>['onWait'],
): Promise<T> {
  if (owner === undefined) return call()
  const why = `Waiting: ${nameOf(owner)} does not answer. It was stopped; \`kill -CONT ${owner.pid}\` lets it go on.`
  const timer = setTimeout(() => isStopped(owner.pid) && onWait?.(why), LONG_MS)
  return call().finally(() => clearTimeout(timer))
}

/** A process that is only slow answers by itself. Where the system does not tell, it may be stopped. */
function isStopped(pid: number): boolean {
  try {
    return /\) [Tt] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return !existsSync('/proc/self')
  }
}

function nameOf({ command, pid, since }: Pick<Owner, 'command' | 'pid' | 'since'>): string {
  return `'${command}' (process ${pid}, since ${isoAt(since)})`
}

type Hello = Omit<Owner, 'socket'> & { readonly waitsFor?: string }

export interface OwnerCalled {
  readonly client: OwnerClient
  readonly owner: Owner
}

/** Waits for something that an owner works on. Says when it does not answer at all, or cannot write. */
export function awaitOwner<T>(
  called: OwnerCalled,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: (why: string) => void },
  work: () => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  // What ends this ends the wait as well, and is told there.
  void tellSilence(called, AbortSignal.any([signal, over.signal]), onWait).catch(() => undefined)
  return work().finally(() => over.abort())
}

async function tellSilence(
  { client, owner }: OwnerCalled,
  signal: AbortSignal,
  onWait: (why: string) => void,
): Promise<void> {
  let told: string | undefined
  while (!signal.aborted) {
    await sleep(LONG_MS, undefined, { signal })
    const hello = (): Promise<Hello> => client.call('GET', '/api/hello', { signal })
    const { waitsFor } = await answerOf(owner, hello, onWait)
    if (waitsFor !== undefined && waitsFor !== told)
      onWait(`Waiting: ${nameOf(owner)} cannot write: ${waitsFor}`)
    told = waitsFor
  }
}

/** The owner of a home, if it answers. */
export async function ownerOf(
  home: string,
  signal: AbortSignal,
  origin?: SocketOrigin,
): Promise<{ client: OwnerClient; owner: Owner } | undefined> {
  const named = readOwner(home)
  if (named === undefined) return undefined
  const client = new OwnerClient(named.socket, origin)
  try {
    // The file may still name an owner that died while the next one listens already.
    const owner = await client.call<Omit<Owner, 'socket'>>('GET', '/api/hello', { signal })
    return { client, owner: { ...owner, socket: named.socket } }
  } catch (error) {
    client.close()
    if (error instanceof OwnerGone) return undefined
    throw error instanceof OwnerRefusal ? new LogError('in-use', error.message, error) : error
  }
}

/** Asks the owner to release the log, or says why this process cannot have it. */
async function outrank(
  { client, owner }: { client: OwnerClient; owner: Owner },
  beside: 'take-over' | `--${string}`,
): Promise<void> {
  const { rank } = owner
  const name = nameOf(owner)
  try {
    if (beside !== 'take-over')
      throw new LogError(
        'in-use',
        `${beside} needs the log for itself, and ${name} has it. Stop that one first`,
      )
    if (rank === 'serve')
      throw new LogError(
        'in-use',
        `${name} serves this home already. Stop that one first, or use another --home`,
      )
    await client.call('POST', '/api/owner/hand-over')
  } catch (error) {
    if (!(error instanceof OwnerGone)) throw error
  } finally {
    client.close()
  }
}

async function opening<Opened>({ open }: Joining<Opened>): Promise<Joined<Opened> | LogError> {
  try {
    return { kind: 'opened', opened: await open() }
  } catch (error) {
    if (error instanceof LogError && error.code === 'in-use') return error
    throw error
  }
}

function noOwner(home: string): LogError {
  return new LogError('in-use', `no other process has opened the log in ${home} yet`)
}
