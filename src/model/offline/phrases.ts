import { commands } from './commands.ts'
import { question, talks } from './talks.ts'

/** May stand before a request without changing it. */
export const politeness: ReadonlySet<string> = new Set(
  `a, an, the, new, another, please, kindly, ok, now, then, and, so, well, hey, yo, hi, hello, mainstem, just, also,
  first, next, finally, quickly, maybe, actually, yes, but, alright, great, can, could, would, will,
  can you, could you, would you, will you, can we, could we, shall we, let us, let me, you can, you could, you may,
  i want, i want to, i want you to, i would like, i would like to, i would like you to, i need, i need to,
  i need you to, we need, we need to, we have to, we should, you should, i think we should, i think you should,
  give me, go ahead and, it is time to, time to, how about, how about we, why do not you, why do not we,
  feel free to, do me a favour and, be so kind and, try to`.split(/,\s*/),
)

/** Say nothing for or against any intent. */
export const stopWords: ReadonlySet<string> = new Set(
  `a an the this that these those it its me my mine we us our you your i am is are be been was were do does did
  to of in on at for from with by and or as so please now then here there up off out just again also some one has
  have had will would can could should may want need like any more back away thing stuff id everybody into about over`.split(
    /\s+/,
  ),
)

/** Would else be taken for slips of `name`, `label` and `reply`. */
const noSlips = ['named', 'labelled', 'labeled', 'titled', 'called', 'rely']

/** Every word that means something here: what is nearly one of them is taken for a slip of the fingers. */
export const vocabulary: ReadonlySet<string> = new Set(
  [
    ...[...commands, ...talks, question].flatMap(({ words }) => Object.keys(words)),
    ...commands.flatMap(({ opens }) => (opens === 'anything' ? [] : Object.keys(opens))),
    ...politeness,
    ...stopWords,
    ...noSlips,
  ].flatMap((phrase) => phrase.split(' ')),
)
