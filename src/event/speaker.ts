/** Who speaks in the log, besides people with a name. */

/** The person who may start the program. */
export const OWNER = 'owner'
export const ASSISTANT = 'assistant'
/** A person whose name nobody knows. */
export const UNNAMED = 'user'
export const HOST = 'host'
