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

/**
 * Where what asks for something came in, which decides what it may ask for (RIGHT1). `terminal`: a person at a terminal;
 * `program`: `-p`, a pipe, the socket without a terminal, and with `--yes` one whose caller takes the terminal's word for
 * it; `page`: a browser session; `phone`: a chat app; `token`: the API and `/v1`; `operator`: whoever runs workers.
 */
export const origins = [
  'terminal',
  'program',
  'program --yes',
  'page',
  'phone',
  'token',
  'hook',
  'editor',
  'operator',
  'model',
  'import',
] as const
export type Origin = (typeof origins)[number]
