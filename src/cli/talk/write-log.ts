import type { OwnerClient, SocketOrigin } from '../../client/socket.ts'
import type { Log } from '../../log/log.ts'
import { openForWriting } from '../../runtime/home/open-log.ts'
import { withLog } from '../frame/home.ts'
import { join } from './join.ts'

const TIMEOUT_MS = 2_000

/** Writes something small: over the owner, or into the log where there is none. */
export async function writeLog(
  {
    home,
    command,
    origin,
  }: { readonly home: string; readonly command: string; readonly origin?: SocketOrigin },
  ways: {
    readonly attached: (client: OwnerClient) => Promise<unknown>
    readonly opened: (log: Log) => Promise<unknown>
  },
): Promise<void> {
  const joined = await join({
    home,
    ...(origin && { origin }),
    beside: 'attach',
    timeoutMs: TIMEOUT_MS,
    signal: new AbortController().signal,
    open: async () => openForWriting({ home, command }),
  })
  if (joined.kind === 'opened') return void (await withLog(joined.opened, ways.opened))
  try {
    await ways.attached(joined.client)
  } finally {
    joined.client.close()
  }
}
