import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isProgram } from '../../tool/process/find-binary.ts'
import { isWithin } from './root-path.ts'

/** A file in a skill's scripts/ folder, with what is in it. */
export type Script = { readonly file: string; readonly fingerprint: string } | { readonly problem: string }

/** Looked at when the skill is loaded and again when it runs: in between it may have become another one. */
export function findScript(directory: string, name: string, how: 'run' | 'interpreted'): Script {
  const folder = join(directory, 'scripts')
  // Other agents give scripts to a shell and leave the ending out.
  const names = how === 'run' ? [name, `${name}.sh`] : [name]
  const file = names.map((one) => join(folder, one)).find((path) => existsSync(path))
  if (file === undefined) return { problem: `there is no file scripts/${name} in the skill's folder` }
  try {
    const real = realpathSync(file)
    if (!isWithin(realpathSync(folder), real)) return { problem: `scripts/${name} leads out of scripts/` }
    if (!statSync(real).isFile()) return { problem: `scripts/${name} is no file` }
    if (how === 'run' && !isProgram(real))
      return { problem: `scripts/${name} is not executable: chmod +x makes it so` }
    return { file: real, fingerprint: createHash('sha256').update(readFileSync(real)).digest('hex') }
  } catch (error) {
    const because = error instanceof Error ? error.message : String(error)
    return { problem: `scripts/${name} cannot be read: ${because}` }
  }
}
