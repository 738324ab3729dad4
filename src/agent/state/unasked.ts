import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Address, PersonSource } from '../../event/work.ts'
import { personNear } from './asker.ts'
import { newest } from './newest.ts'
import { mainOrSelf } from './updates.ts'

/** Where the person wrote last to whom this branch belongs: to its main session, or to anything below that. */
export function personOf(reader: Reader, branch: BranchId): Address | undefined {
  const source = heardIn(reader, branch)
  if (source === undefined) return personNear(reader, branch)
  return { channel: source.channel, conversation: source.conversation }
}

/** Who wrote last there, and where. */
export function heardIn(reader: Reader, branch: BranchId): PersonSource | undefined {
  const source = newest(reader, 'heard', mainOrSelf(reader, branch))?.source
  return source?.from === 'person' ? source : undefined
}
