import { changeSetup, noteMemory, type Setup } from '../../agent/state/setup.ts'
import type { Author } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import type { Writing } from '../../event/table.ts'

/** The setup of future prompts, read from files and servers. */
export interface ReadSetup extends Setup {
  /** The lines of memory.md. */
  readonly memory: readonly string[]
  /** For the person: what could not be loaded, and why. */
  readonly notes: readonly string[]
}

/** Returns an unreadable file as text: a command that throws in the inbox would throw again at every start. */
export async function setupOrProblem(
  desk: { readonly readSetup: (what: SetupPart) => Promise<ReadSetup> },
  what: SetupPart,
): Promise<ReadSetup | string> {
  try {
    return await desk.readSetup(what)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return error.message
    throw error
  }
}

/** `files`: servers are not asked for their tools again. */
export type SetupPart = 'all' | 'files'

/** Makes it the setup of every prompt from now on. Returns whether anything changed. */
export function takeSetup(
  writing: Writing,
  setup: ReadSetup,
  act: { readonly branch: BranchId; readonly at: number; readonly author: Author },
): boolean {
  const { branch, at, author } = act
  noteMemory(writing, setup.memory, { branch, at, author })
  return changeSetup(writing, setup, { branch, at, author })
}
