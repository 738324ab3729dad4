import { ChannelError, type Channel, type Outgoing } from '../../channel/channel.ts'
import { terminalAddress } from './place.ts'

/** The terminal's channel, and how much it has shown. Deliveries come in the order of their ids. */
export interface TerminalChannel {
  readonly channel: Channel
  /** Resolves with whether everything up to this id was shown, once it was or nothing more will be. */
  shownTo(id: number): Promise<boolean>
  /** Nothing is shown from now on: what is still to be sent stays in the outbox. */
  end(): void
}

/** `show` resolves once the person can see it. If it rejects, `fail` gets the error and the delivery stays open. */
export function terminalChannel(
  show: (message: Outgoing) => Promise<void>,
  { fail, canAsk }: { readonly fail: (error: unknown) => void; readonly canAsk: boolean },
): TerminalChannel {
  let shown = 0
  let hasEnded = false
  const ending = Promise.withResolvers<never>()
  ending.promise.catch(() => undefined)
  let waiting: readonly { readonly id: number; readonly resolve: (wasShown: boolean) => void }[] = []
  const settle = (): void => {
    const [over, open] = [waiting.filter(({ id }) => isOver(id)), waiting.filter(({ id }) => !isOver(id))]
    waiting = open
    for (const { id, resolve } of over) resolve(id <= shown)
  }
  const isOver = (id: number): boolean => hasEnded || id <= shown
  const end = (): void => {
    hasEnded = true
    ending.reject(closed())
    settle()
  }
  const send = async (message: Outgoing): Promise<null> => {
    if (hasEnded) throw closed()
    try {
      // Showing may be stuck, as in a pipe that nobody reads. It must not keep the process from ending.
      await Promise.race([show(message), ending.promise])
    } catch (error) {
      end()
      if (!(error instanceof ChannelError)) fail(error)
      throw closed()
    }
    shown = message.id
    settle()
    return null
  }
  return {
    channel: { name: terminalAddress.channel, canAsk, start: async () => {}, stop: async () => {}, send },
    shownTo: (id) =>
      new Promise((resolve) => {
        waiting = [...waiting, { id, resolve }]
        settle()
      }),
    end,
  }
}

function closed(): ChannelError {
  return new ChannelError('nobody looks at the terminal any more', { isFinal: false })
}
