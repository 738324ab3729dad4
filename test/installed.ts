import { execFileSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

/** Whether tests may add a package to this machine: as root, on a system with apt. */
export function mayInstall(): boolean {
  return process.platform === 'linux' && process.getuid?.() === 0 && inPath('apt-get') !== undefined
}

export function install(name: string, what: string): void {
  console.log(`Installing ${what} (apt-get install ${name}) …`)
  const wait = ['-o', 'DPkg::Lock::Timeout=600', '-qq']
  execFileSync('apt-get', [...wait, 'update'], { stdio: 'ignore' })
  execFileSync('apt-get', [...wait, 'install', '-y', '--no-install-recommends', name], {
    stdio: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
}

export function inPath(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(':')
  return folders.map((folder) => join(folder, name)).find(isProgram)
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
