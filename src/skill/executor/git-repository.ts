import type { ProgramOrder, Ran } from '../../tool/process/run-program.ts'
import { withoutSettings } from './hardening.ts'
import { insideRoot, type Roots } from './root-path.ts'

export interface RepositoryParts {
  readonly roots: Roots
  /** Runs git with these words in that folder, with this environment. */
  readonly run: (argv: readonly string[], more: Pick<ProgramOrder, 'outputMax'>) => Promise<Ran>
  /** Already hardened. */
  readonly environment: Readonly<Record<string, string>>
  readonly cwd: string
  /** The first word after git. */
  readonly subcommand: string
}

type Prepared =
  | { readonly environment: Readonly<Record<string, string>> }
  | { readonly problem: string }
  | { readonly ran: Ran }

/**
 * Checks the repository of a folder before git works in it: all of it must lie within the roots, and programs named in
 * its settings are switched off. Both commands only read settings.
 */
export async function prepareRepository(parts: RepositoryParts): Promise<Prepared> {
  const found = await parts.run(
    ['rev-parse', '--is-inside-work-tree', '--show-toplevel', '--absolute-git-dir', '--git-common-dir'],
    {},
  )
  if (found.kind !== 'exited') return { ran: found }
  // Git itself says that there is none, or why it refuses. Without a repository, `diff` would compare any two files.
  if (found.code !== 0 && found.stdout === '')
    return NEEDS_NONE.has(parts.subcommand) ? { environment: parts.environment } : { ran: found }
  const problem = placeProblem(found.stdout, parts)
  if (problem !== undefined) return { problem }
  const listed = await parts.run(['config', '--list', '--show-scope', '--name-only'], {
    outputMax: SETTINGS_BYTES_MAX,
  })
  if (listed.kind !== 'exited') return { ran: listed }
  // A setting that cannot be named cannot be switched off.
  if (listed.code !== 0 || listed.wasCut || listed.stdout.includes('\u{FFFD}'))
    return { problem: 'the settings of this repository cannot be read' }
  return { environment: withoutSettings(parts.environment, runningKeys(listed.stdout)) }
}

const NEEDS_NONE = new Set(['init', 'clone', '--version', 'version'])
const SETTINGS_BYTES_MAX = 1024 * 1024

function placeProblem(stdout: string, { roots, cwd }: RepositoryParts): string | undefined {
  const [isInside, ...places] = stdout.replace(/\n$/, '').split('\n')
  if (isInside !== 'true') return 'the folder is not the working tree of a git repository'
  const outside =
    places.length === 3
      ? places.find((place) => 'problem' in insideRoot(place, { roots, from: cwd }))
      : stdout.trim()
  return outside === undefined ? undefined : `its git repository leaves the workspace: ${outside}`
}

/** Settings that name a program, under names that a repository chooses and no fixed list can hold. */
const RUNNING = [
  /^filter\..*\.(?:clean|smudge|process|required)$/s,
  /^diff\.external$|^diff\..*\.(?:command|textconv)$/s,
  /^merge\..*\.driver$/s,
  /^(?:difftool|mergetool|browser|man)\..*\.(?:cmd|path)$/s,
  /^gpg\.(?:.*\.)?program$|^gpg\.ssh\.defaultkeycommand$/s,
  /^credential\..*\.helper$/s,
  /^remote\..*\.(?:uploadpack|receivepack|vcs|proxy|promisor)$/s,
  /^submodule\..*\.update$/s,
  /^trailer\..*\.(?:cmd|command)$/s,
  /^(?:alias|pager|hook|guitool|tar|sendemail)\./,
  /^core\.alternaterefscommand$|^uploadpack\.packobjectshook$|^interactive\.difffilter$/,
  // Names a file whose lines would be shown in error messages.
  /^blame\.ignorerevsfile$/,
]

/** Only the repository's own settings: the person's global ones stay. */
function runningKeys(listed: string): string[] {
  const keys = listed.split('\n').flatMap((line) => {
    const [scope = '', ...rest] = line.split('\t')
    const key = rest.join('\t')
    return /^(?:local|worktree|unknown)$/.test(scope) && RUNNING.some((form) => form.test(key)) ? key : []
  })
  return [...new Set(keys)]
}
