import { folded } from './stem.ts'

const WORDS = `
a about above after again against all also am an and any are aren as at be because been before being below between
both but by came can cannot come could couldn did didn do does doesn doing don down during each else even ever every
few for from further get gets getting go goes going got had hadn has hasn have haven having he her here hers herself
him himself his how i if in into is isn it its itself just let like ll lot made make many may maybe me might more most
much must mustn my myself need no nor not now of off oh ok okay on once one only or other our ours ourselves out over
own please quite rather re really said same say says shall shan she should shouldn since so some someone something
still such tell than that the their theirs them themselves then there these they thing things this those through to
told too under until up upon us ve very want was wasn way we well were weren what when where whether which while who
whom whose why will with won would wouldn yeah yes yet you your yours yourself yourselves
arent cant couldnt didnt doesnt dont hadnt hasnt havent id im isnt ive shouldnt thats theyre wasnt weren whats wont
wouldnt youre youve
`
export const stopWords: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/))

/** Whether a word, as typed, is a stop word. */
export function isStopWord(typed: string): boolean {
  const word = folded(typed)
  if (stopWords.has(word)) return true
  const apostrophe = word.search(/['’‘`ʼ]/)
  return apostrophe >= 0 && stopWords.has(word.slice(0, apostrophe))
}
