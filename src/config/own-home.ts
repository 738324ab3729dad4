import { orElse } from '../base/message-of.ts'
import { lstatSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Files that the agent obeys, in the workspace and in the folder of each guest. */
const OBEYED = ['AGENTS.md', 'memory.md', 'todo.md', 'routines', 'reminders', 'webhooks', 'skills']

/**
 * Why nothing may start from a home, with the command that fixes it; undefined if it is safe, or not there. Whoever can
 * write to a home decides which programs run as you, and where your keys are sent. Root may do so anyway, so a home of
 * root's is safe, and root may use a home of anybody.
 */
export function homeProblem(home: string, user = process.geteuid?.()): string | undefined {
  const found = statOf(home, statSync)
  if (user === undefined || found?.isDirectory() !== true) return undefined
  const owners = new Set([0, user, found.uid])
  if (user !== 0 && found.uid !== 0 && found.uid !== user)
    return `The home ${home} belongs to another user (uid ${found.uid}). If it should be yours: sudo chown -R ${user} ${quoted(home)}`
  if ((found.mode & 0o022) !== 0) return writable(home, home)
  // Files in a closed home or folder are out of reach, whatever their own modes say.
  const reachable = (name: string): number => {
    if (dirname(name) === '.') return reachableIn(found)
    const above = statOf(join(home, dirname(name)), statSync)
    return reachable(dirname(name)) & (above === undefined ? 0o022 : reachableIn(above))
  }
  const folders = ['workspace', ...namesIn(join(home, 'people')).map((name) => join('people', name))]
  const obeyed = folders.flatMap((folder) => [folder, ...OBEYED.map((name) => join(folder, name))])
  const paths = [...namesIn(home), ...obeyed]
  for (const name of paths) {
    const path = join(home, name)
    const entry = statOf(path, lstatSync)
    if (entry === undefined) continue
    if (!owners.has(entry.uid))
      return `${path} in your home belongs to another user (uid ${entry.uid}). Move it away, or make it yours: sudo chown -h ${found.uid} ${quoted(path)}`
    if (!entry.isSymbolicLink() && (entry.mode & reachable(name)) !== 0) return writable(path, home)
  }
  return undefined
}

/** The rights to write that are of use to others in a folder. */
function reachableIn({ mode }: { readonly mode: number }): number {
  return (mode & 0o010 && 0o020) | (mode & 0o001 && 0o002)
}

function writable(path: string, home: string): string {
  return `Other users can write to ${path}, so they could decide what runs as you. Close the home to them: chmod 700 ${quoted(home)}`
}

/** As a word for a shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
}

/** A file that cannot be looked at is explained when it is opened. */
function statOf(path: string, stat: typeof statSync) {
  return orElse(undefined, () => stat(path, { throwIfNoEntry: false }))
}

function namesIn(folder: string): string[] {
  return orElse([], () => readdirSync(folder))
}
