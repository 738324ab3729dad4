import type { Inbound } from '../../channel/channel.ts'
import type { SocketOrigin } from '../../client/socket.ts'
import type { Address } from '../../event/work.ts'
import { OWNER } from '../../event/speaker.ts'

/** The one conversation of the terminal: the chat, a pipe and a single question share it. */
export const terminalAddress: Address = { channel: 'terminal', conversation: 'local' }

/**
 * What somebody at this machine typed. Whoever may start the program is its owner. The key is made by the sender,
 * so that it can be handed in again when nobody knows whether it arrived.
 */
export function typedInbound(
  text: string,
  how: {
    readonly key: string
    readonly origin: SocketOrigin
    readonly thread?: string | undefined
    /** Where whoever typed it stands. */
    readonly folder?: string | undefined
  },
): Inbound & { readonly messageId: string } {
  const { key: messageId, origin, thread, folder } = how
  // Other texts name no file, and the log need not say where they were typed.
  const isFromHere = folder !== undefined && /\/attach\b/i.test(text)
  return {
    ...terminalAddress,
    origin,
    person: OWNER,
    messageId,
    text,
    ...(thread && { thread }),
    ...(isFromHere && { folder }),
  }
}
