import type { JobRead } from '../command/desk.ts'

/** What a file of the workspace asks to be run. */
export async function jobIn(path: string): Promise<JobRead> {
  return { problem: `There is no file ${path} in the workspace.` }
}
