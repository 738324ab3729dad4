import { makerIn, moreRights, type Maker, type Offer } from '../../agent/right/definition-rights.ts'
import type { Log } from '../../log/log.ts'
import { judge } from '../../permission/judge.ts'
import { definitionKinds, type DefinitionKind } from '../../schedule/given-fields.ts'
import { readDefinition } from '../../schedule/read-definition.ts'
import { folderOf } from '../../schedule/shelving.ts'
import { folded } from '../../tool/files/protection.ts'
import type { Guard } from '../../tool/files/write-tool.ts'
import { builtIn } from '../../tool/tool.ts'

/** A job definition that asks for more rights than its writer has waits for the person (SAFE4). */
export function definitionGuard({ log, offer }: { log: Log; offer: () => Offer }): Guard {
  return {
    isGuarded: (place) => kindOf(place) !== undefined,
    because: async ({ branch }, { tool, place, places, after }) => {
      if (places.every((one) => kindOf(one) === undefined)) return undefined
      const maker = await log.read((reader) => makerIn(reader, branch, offer()))
      const more = await Promise.all(places.map((one) => moreIn(one, after, maker)))
      if (more.flat().length > 0) {
        const who = maker.run === null ? 'this session may do without asking' : 'this run may do'
        return `asks for more than ${who}: it ${[...new Set(more.flat())].join('; it ')}`
      }
      // Elsewhere the call itself was already judged as an edit.
      if (kindOf(place) === undefined || mayEdit(maker, { tool, subject: place })) return undefined
      return 'is not written without asking'
    },
  }
}

/** An invalid definition asks for nothing; its error is shown when it is read. */
async function moreIn(file: string, text: string, maker: Maker): Promise<readonly string[]> {
  const kind = kindOf(file)
  if (kind === undefined) return []
  const read = await readDefinition({ file, text }, { kind, due: 'optional' })
  return 'definition' in read ? moreRights(read.definition, maker) : []
}

function mayEdit({ permissions: mode, grants }: Maker, asked: { tool: string; subject: string }): boolean {
  const question = { mode, grants, canAsk: false, nature: builtIn('edits'), pattern: asked.tool, ...asked }
  return judge(question).kind === 'allowed'
}

/** Ignores how the file system spells the folder. */
function kindOf(place: string): DefinitionKind | undefined {
  const [folder, name, ...more] = folded(place).split('/')
  if (name === undefined || more.length > 0) return undefined
  return definitionKinds.find((kind) => folderOf(kind) === folder)
}
