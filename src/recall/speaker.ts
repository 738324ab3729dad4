import type { BranchId } from '../event/id.ts'
import type { Log } from '../log/log.ts'
import { ASSISTANT, UNNAMED } from '../event/speaker.ts'
import type { Recall } from './contract/recall.ts'
import { treeOf } from './scope/scope.ts'
import { folded } from './words/stem.ts'

const ASKER = /^(?:me|i|myself|user|person|human)$/i
const AGENT = /^(?:you|assistant|agent|model|ai|bot)$/i

/** The speakers a word stands for. Messages that came through no channel have no name and count as the asker's. */
export function speakersMeant(word: string, asker: string): readonly string[] {
  const said = word.trim()
  if (ASKER.test(said)) return [...new Set([asker, UNNAMED])]
  return AGENT.test(said) ? [ASSISTANT] : [said]
}

export interface Unheard {
  readonly name: string
  /** The people who did speak, besides the asker. */
  readonly others: readonly string[]
}

/**
 * Says that the wanted speaker never spoke, and who did. Names only people of the branch's own tree: the asker finds
 * nothing from others elsewhere, and must not learn about them.
 */
export async function unheardIn(
  { log, recall }: { readonly log: Pick<Log, 'read'>; readonly recall: Pick<Recall, 'people'> },
  { speaker = '', asker, branch }: { speaker?: string | undefined; asker: string; branch: BranchId },
): Promise<Unheard | undefined> {
  const name = speaker.trim()
  if (name === '' || ASKER.test(name) || AGENT.test(name)) return undefined
  const people = await recall.people()
  const heard = await log.read((reader) => {
    const here = treeOf(reader, branch)
    const isHere = (id: BranchId): boolean => treeOf(reader, id) === here
    return [...people].flatMap(([one, branches]) =>
      one !== asker && branches.values().some(isHere) ? one : [],
    )
  })
  if ([asker, ...heard].some((one) => folded(one) === folded(name))) return undefined
  return { name, others: heard }
}
