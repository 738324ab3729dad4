/** Adds the registry's hash to each package of the lock file that has none. Versions stay as they are. */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

type LockedPackage = { name?: string; version: string; integrity?: string }

const file = fileURLToPath(new URL('../package-lock.json', import.meta.url))
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, LockedPackage> }

for (const [path, locked] of Object.entries(lock.packages)) {
  if (path === '' || locked.integrity !== undefined) continue
  const name = locked.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const spec = `${name}@${locked.version}`
  const { stdout } = await promisify(execFile)('npm', ['view', spec, 'dist.integrity'])
  const integrity = stdout.trim()
  if (!integrity.startsWith('sha512-'))
    throw new Error(`The registry has no hash for ${spec}: '${integrity}'.`)
  const { version, ...rest } = locked
  lock.packages[path] = { version, integrity, ...rest }
  console.log(spec)
}
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
