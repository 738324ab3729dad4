import { dirname } from 'node:path'
import { globFits } from '../../tool/star-fits.ts'
import { type Roots, realRoots } from './root-path.ts'

type Environment = Readonly<Record<string, string>>

/** Settings that keep git from running programs a folder names, whatever the folder's own settings say. */
export const GIT_SETTINGS: Environment = {
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'diff.ignoreSubmodules': 'all',
  'log.showSignature': 'false',
  // A folder among the files of a clone can be laid out as a repository with settings of its own.
  'safe.bareRepository': 'explicit',
  'status.submoduleSummary': 'false',
  'submodule.recurse': 'false',
}

export const GIT_NAMES: Environment = {
  // No protocol, whatever the repository's settings allow: nothing is fetched, and no program is started for that.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_EDITOR: 'false',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_SEQUENCE_EDITOR: 'false',
}

/**
 * Settings that name a program or a file, and what they become if the repository has them. Many have names that the
 * repository chooses. Those of the person's own settings stay.
 */
export const REPOSITORY_SETTINGS: Environment = {
  'alias.*': '',
  'commit.template': '/dev/null',
  'core.alternaterefscommand': '',
  'core.attributesfile': '/dev/null',
  'core.excludesfile': '/dev/null',
  'diff.*.command': '',
  'diff.*.textconv': '',
  'diff.external': '',
  'diff.orderfile': '/dev/null',
  'filter.*.clean': '',
  'filter.*.process': '',
  'filter.*.required': '',
  'filter.*.smudge': '',
  'format.signaturefile': '/dev/null',
  'gc.recentobjectshook': '',
  'gpg.*.program': '',
  'gpg.program': '',
  'gpg.ssh.allowedsignersfile': '/dev/null',
  'gpg.ssh.defaultkeycommand': '',
  'hook.*': '',
  'mailmap.file': '/dev/null',
  'merge.*.driver': '',
  'submodule.*.ignore': 'all',
  'tar.*.command': '',
  'trailer.*.cmd': '',
  'trailer.*.command': '',
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

/** A hardened environment in which those of a repository's settings do nothing that name a program or a file. */
export function withoutSettings(environment: Environment, keys: readonly string[]): Environment {
  const forms = Object.entries(REPOSITORY_SETTINGS)
  const changed = keys.flatMap((key) =>
    forms.filter(([form]) => globFits(form, key)).map(([, value]) => [key, value]),
  )
  return { ...environment, ...gitSettings({ ...GIT_SETTINGS, ...Object.fromEntries(changed) }) }
}

/** As if each were passed with `-c`. */
function gitSettings(settings: Environment): Environment {
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
