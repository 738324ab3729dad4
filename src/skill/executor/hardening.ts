import { dirname } from 'node:path'
import { type Roots, realRoots } from './root-path.ts'

type Environment = Readonly<Record<string, string>>

/** Settings that keep git from running programs a folder names, and from fetching what a repository lacks. */
const GIT_SETTINGS: Readonly<Record<string, string>> = {
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'core.pager': 'cat',
  'core.sshCommand': 'false',
  'core.gitProxy': '',
  'credential.helper': '',
  'diff.ignoreSubmodules': 'all',
  'log.showSignature': 'false',
  'protocol.ext.allow': 'never',
  // A folder among the files of a clone can be laid out as a repository with settings of its own.
  'safe.bareRepository': 'explicit',
  'status.submoduleSummary': 'false',
  'submodule.recurse': 'false',
}

const GIT_NAMES: Environment = {
  // No protocol, whatever the repository's settings allow: missing objects are not fetched.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_ASKPASS: 'false',
  GIT_EDITOR: 'false',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_PAGER: 'cat',
  GIT_SEQUENCE_EDITOR: 'false',
  GIT_SSH_COMMAND: 'false',
  GIT_TERMINAL_PROMPT: '0',
  SSH_ASKPASS: 'false',
}

/** The environment of a program; its settings override those of the folder that it works in. */
export function hardened(binary: string, environment: Environment, roots?: Roots): Environment {
  if (!isGit(binary)) return environment
  const ceilings = roots === undefined ? {} : { GIT_CEILING_DIRECTORIES: ceilingsOf(roots) }
  return { ...environment, ...gitSettings(GIT_SETTINGS), ...GIT_NAMES, ...ceilings }
}

export function isGit(binary: string): boolean {
  return /^git(?:\.exe)?$/i.test(binary)
}

/** A hardened environment in which these settings of a repository are empty. */
export function withoutSettings(environment: Environment, keys: readonly string[]): Environment {
  const emptied = Object.fromEntries(keys.map((key) => [key, '']))
  return { ...environment, ...gitSettings({ ...GIT_SETTINGS, ...emptied }) }
}

/** As if each were passed with `-c`. */
function gitSettings(settings: Readonly<Record<string, string>>): Environment {
  const entries = Object.entries(settings).flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return {
    GIT_CONFIG_COUNT: String(Object.keys(settings).length),
    ...Object.fromEntries(entries),
  } as Environment
}

/** The folders above the roots: git does not look for a repository there. */
function ceilingsOf(roots: Roots): string {
  return [...new Set(realRoots(roots).map((root) => dirname(root)))].join(':')
}
