/** Who speaks in the log, besides people with a name. */

/** The person who may start the program. */
export const OWNER = 'owner'
export const ASSISTANT = 'assistant'
/** A person whose name nobody knows. */
export const UNNAMED = 'user'
export const HOST = 'host'

/** The person whom an author, an address, a job or a run names; without a name it is the owner. */
export function personOf(one: { readonly person?: string | null } | undefined): string {
  return one?.person ?? OWNER
}
