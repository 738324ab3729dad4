import type { Event, EventOf } from '../../../src/event/event.ts'
import type { BranchId } from '../../../src/event/id.ts'
import { hold } from '../witness.ts'
import type { Tree } from './tree.ts'

type Mail = EventOf<'mail-sent'>

/** Mail goes to living branches, is read once, by its recipient, and appears in the recipient's next messages. */
export class MailLaws {
  readonly #tree: Tree
  readonly #unread = new Map<BranchId, Mail[]>()
  readonly #sent: Mail[] = []
  /** Read, but not yet in a message of its recipient. */
  readonly #unseen = new Map<BranchId, Mail[]>()

  constructor(tree: Tree) {
    this.#tree = tree
  }

  unread(branch: BranchId): readonly Mail[] {
    return this.#unread.get(branch) ?? []
  }

  /** Whether `from` wrote to `to` since a position. */
  hasWritten(mail: { from: BranchId; to: BranchId; since: number }): boolean {
    const { from, to, since } = mail
    return this.#sent.some((sent) => sent.from === from && sent.branch === to && sent.position >= since)
  }

  take(event: Event): void {
    switch (event.kind) {
      case 'mail-sent':
        return this.#send(event)
      case 'mail-read':
        return this.#read(event)
      case 'message-added':
        return this.#see(event)
      case 'model-called':
      case 'turn-ended':
      case 'command-run': {
        const [lost] = this.#unseen.get(event.branch) ?? []
        return hold(lost === undefined, `[MAIL1] the mail at ${lost?.position} is read, and nobody sees it`)
      }
      default:
    }
  }

  #send(event: Mail): void {
    const { branch, from, position } = event
    hold(!this.#tree.branch(from).isEnded, `[KILL1] ${position} is mail of ${from}, which has ended`)
    hold(!this.#tree.branch(branch).isEnded, `[MAIL1] ${position} is mail to ${branch}, which has ended`)
    this.#sent.push(event)
    this.#unread.set(branch, [...this.unread(branch), event])
  }

  #read({ branch, upTo, position }: EventOf<'mail-read'>): void {
    const unread = this.unread(branch)
    const newest = unread.at(-1)?.position
    hold(newest === upTo, `[MAIL1] ${position} reads the mail of ${branch} up to ${upTo}, not to ${newest}`)
    this.#unseen.set(branch, [...(this.#unseen.get(branch) ?? []), ...unread])
    this.#unread.set(branch, [])
  }

  #see({ branch, message, position }: EventOf<'message-added'>): void {
    const text = mailText(message)
    const count = text.split('<data source="mail:').length - 1
    if (count === 0) return
    const unseen = this.#unseen.get(branch) ?? []
    const seen = unseen.splice(0, count)
    hold(seen.length === count, `[MAIL1] ${position} shows mail that was not read by ${branch}`)
    const other = seen.find((mail) => !text.includes(mail.text.replaceAll(/<(?=\/?data)/g, '&lt;')))
    hold(other === undefined, `[MAIL1] ${position} does not show the mail at ${other?.position}`)
  }
}

/** The messages that show mail: a call's result, or a note of the host. */
function mailText(message: EventOf<'message-added'>['message']): string {
  if (message.role === 'note') return message.author.by === 'policy' ? message.text : ''
  if (message.role !== 'tool' || message.tool !== 'slash') return ''
  const { text = '' } = JSON.parse(message.text) as { text?: string }
  return text
}
