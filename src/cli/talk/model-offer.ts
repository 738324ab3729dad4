import { readConfig } from '../../config/config.ts'
import type { Key } from '../../config/table/settings.ts'
import type { Place } from '../../config/table/source.ts'
import { setInFile } from '../../config/write.ts'
import { foundModels, localServers } from '../../runtime/home/found-models.ts'

/** Asks for one line on the terminal; undefined when the input ended, `interrupted` on Ctrl-C. */
export type Question = (text: string) => Promise<{ readonly line: string | undefined } | 'interrupted'>

/**
 * Where no model is configured, offers one of each key and server that was found, and writes the choice to config.json,
 * also the choice to use none. Nothing is written when nothing was found, or nobody answered.
 */
export async function offerModel(
  place: Place,
  ask: Question,
  servers = localServers,
): Promise<'done' | 'interrupted'> {
  const config = readConfig(place)
  if (config.values.model !== null) return 'done'
  const all = await foundModels(config, servers)
  const found = all.filter(({ from }, index) => all.findIndex((one) => one.from === from) === index)
  for (const { model, from, settings = {} } of found) {
    const answer = await ask(`Use ${model} from ${from}? [Y/n] `)
    if (answer === 'interrupted') return 'interrupted'
    if (answer.line === undefined) return 'done'
    if (/^\s*(?:y|yes)?\s*$/i.test(answer.line)) {
      for (const [key, value] of Object.entries({ ...settings, model })) setInFile(place, key as Key, value)
      return 'done'
    }
  }
  if (found.length > 0) setInFile(place, 'model', 'offline')
  return 'done'
}
