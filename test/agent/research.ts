import { isChilds, lastText, ruled, said, slowly, type Ruled } from './rig.ts'

/** What is typed in the walkthroughs of the design, and who plays in them. */

export const GOAL =
  'Investigate authentication approaches. Compare OAuth2, JWT, and session-based.\nReport findings via /send when complete.'
export const OAUTH = 'Research OAuth2 implementation patterns. Report via /send.'
export const SESSION = 'Research session-based auth patterns. Report via /send.'

/** Children find something about their task; the parent repeats what it hears. */
export const research = (prompt: Parameters<typeof isChilds>[0]) => {
  if (!isChilds(prompt)) return { text: `heard: ${lastText(prompt)}` }
  const task = said(prompt)[0] ?? ''
  return { text: `findings on ${/OAuth2|session/.exec(task)?.[0] ?? 'nothing'}` }
}

/** What a child was shown, without heads: its task, and perhaps that it is to do it. */
export function tasks(at: Ruled): string[][] {
  return at.model.prompts.filter(isChilds).map(said)
}

/** What the parent's model was shown besides. */
export function heardByParent(at: Ruled): string[] {
  return at.model.prompts.filter((prompt) => !isChilds(prompt)).flatMap(said)
}

export const DO_ABOVE = 'You are the child; do the task above.'

/** A parent that needs long to answer whatever is said first after `quick` things. */
export async function slowParent(isSlow: (text: string) => boolean) {
  const slow = slowly({ text: 'the parent answers the task' })
  const at = await ruled((prompt, signal) =>
    !isChilds(prompt) && isSlow(lastText(prompt)) ? slow.reply(signal) : research(prompt),
  )
  return { at, slow }
}
