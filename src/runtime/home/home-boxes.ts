import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { basename, dirname, extname, isAbsolute, join } from 'node:path'
import { MEMORY_FILE } from '../../memory/memory-file.ts'
import { readOwner, socketPath } from '../../owner/owner-file.ts'
import type { Config } from '../../config/table/settings.ts'
import { systemEnvironment } from '../../config/table/source.ts'
import type { LoadedSkills } from '../../skill/skill.ts'
import { boxMaker, openBoxes, type Boxes } from '../../tool/process/boxes.ts'
import { orElse } from '../../base/message-of.ts'
import { JOB_FOLDERS } from './job-folders.ts'
import { isLink, linkedFrom, realOf, skillDirectories, skillPlaces, stepsOf } from './skill-places.ts'

const PROTECTED_FILES = ['AGENTS.md', MEMORY_FILE]

/** What defines the agent, its memory and its jobs, by its names in a workspace. */
export const PROTECTED: readonly string[] = [...PROTECTED_FILES, ...JOB_FOLDERS]

export interface HomeBoxes {
  readonly home: string
  /** Where programs work for a guest, if they do. */
  readonly root?: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly values: () => Pick<Config, 'sandbox' | 'skills'>
  readonly warn?: (text: string) => void
}

export interface Programs {
  readonly values: Pick<Config, 'sandbox' | 'mcp' | 'transcriber'>
  readonly skills: LoadedSkills['skills']
  readonly environment: HomeBoxes['environment']
}

/** Why programs of this home run without a box, or do not run; undefined if they have one, or if there are none. */
export function unboxedText({ values, skills, environment }: Programs): string | undefined {
  const { sandbox, mcp, transcriber } = values
  const hasPrograms =
    skills.some(({ tools }) => tools.length > 0) ||
    Object.values(mcp.servers).some((entry) => 'command' in entry) ||
    (transcriber.url === null && transcriber.program.length > 0)
  if (!hasPrograms) return undefined
  if (sandbox === 'off') return 'programs run without a box, with your files and your network: sandbox is off'
  const maker = boxMaker(environment['PATH'] ?? '')
  if (maker.kind !== 'none') return undefined
  return sandbox === 'auto'
    ? `programs run without a box, with your files and your network: ${maker.because}`
    : `programs do not run, as sandbox is required and there is no box: ${maker.because}`
}

/** The boxes of the programs that a home starts. */
export function homeBoxes({ home, root, environment, values, warn }: HomeBoxes): Boxes {
  const workspace = join(home, 'workspace')
  const roots = [...new Set([workspace, root ?? workspace])]
  const inRoots = (names: readonly string[]) => roots.flatMap((one) => names.map((name) => join(one, name)))
  const user = process.getuid?.() ?? 0
  return openBoxes({
    mode: () => values().sandbox,
    ...(warn && { warn }),
    folder: join(home, 'boxes'),
    path: environment['PATH'] ?? '',
    closed: () => {
      const owner = readOwner(home)
      // Before the first start nobody has written down where the socket is.
      const paths = [...(owner === undefined ? [] : [owner.socket]), socketPath(home, systemEnvironment())]
      const sockets = [...paths.map(dirname), `/run/user/${user}`, join(tmpdir(), `mainstem-${user}`)]
      return { home, workspace, userHome: homedir(), sockets, linked: linkedIn(home) }
    },
    guarded: () => {
      const directories = skillDirectories(home, values())
      const linked = [...inRoots(JOB_FOLDERS).flatMap(linkedFrom), ...skillPlaces(directories)]
      return {
        files: [...inRoots(PROTECTED_FILES), ...linked.filter(isFile)],
        folders: [...inRoots(JOB_FOLDERS), ...directories, ...linked.filter((path) => !isFile(path))],
        links: inRoots(PROTECTED).flatMap(linksOn),
      }
    },
  })
}

/** What Mainstem keeps in its home, with what belongs to a database or was put beside it: `log.db-wal`, `config.json.old`. */
const KEPT =
  /^(?:config\.json|\.env|token|(?:log|recall)\.db|(?:sessions|todo)\.\w+|boxes|files|logs|orders|people|processes|run|updates)(?:[.-].*)?$/

/** Who writes there decides about the home. A workspace and skills may lie elsewhere, and are guarded there. */
function linkedIn(home: string): readonly string[] {
  const names = orElse([], () => readdirSync(home)).filter((name) => KEPT.test(name))
  const links = [home, ...names.map((name) => join(home, name))].filter(isLink)
  return links.flatMap((link) => [join(realOf(dirname(link)), basename(link)), ...stepsOf(link)])
}

const LINKS_MAX = 40

/** Every link that is followed on the way to a path, by where it really is. */
function linksOn(path: string): readonly string[] {
  const links: string[] = []
  let [at, left] = ['/', path.split('/')]
  while (left.length > 0 && links.length < LINKS_MAX) {
    const [name = '', ...after] = left
    const next = join(at, name)
    const target = name === '..' ? undefined : orElse(undefined, () => readlinkSync(next))
    if (target === undefined) [at, left] = [next, after]
    else {
      links.push(next)
      ;[at, left] = [isAbsolute(target) ? '/' : at, [...target.split('/'), ...after]]
    }
  }
  return links
}

/** What is missing, or cannot be looked at, is told by its name. */
function isFile(path: string): boolean {
  const found = orElse(undefined, () => statSync(path))
  return found === undefined ? extname(path) !== '' : !found.isDirectory()
}
