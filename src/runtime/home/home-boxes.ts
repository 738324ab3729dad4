import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { jobKinds } from '../../event/job.ts'
import { MEMORY_FILE } from '../../memory/memory-file.ts'
import { readOwner } from '../../owner/owner-file.ts'
import { folderOf } from '../../schedule/shelving.ts'
import type { SandboxMode } from '../../tool/process/box.ts'
import { openBoxes, type Boxes } from '../../tool/process/boxes.ts'

/** What defines the agent, its memory and its jobs, by its names in a workspace. */
export const PROTECTED: readonly string[] = ['AGENTS.md', MEMORY_FILE, ...jobKinds.map(folderOf)]

export interface HomeBoxes {
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly mode: () => SandboxMode
}

/** The boxes of the programs that a home starts. */
export function homeBoxes({ home, environment, mode }: HomeBoxes): Boxes {
  const workspace = join(home, 'workspace')
  const user = process.getuid?.() ?? 0
  return openBoxes({
    mode,
    folder: join(home, 'boxes'),
    path: environment['PATH'] ?? '',
    closed: () => ({
      home,
      workspace,
      userHome: homedir(),
      sockets: [
        dirname(readOwner(home)?.socket ?? home),
        `/run/user/${user}`,
        join(tmpdir(), `mainstem-${user}`),
      ],
    }),
    guarded: PROTECTED.map((name) => join(workspace, name)),
  })
}
