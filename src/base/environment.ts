import { homedir } from 'node:os'
import { join } from 'node:path'

/** The one place outside `config/` that looks at the environment. */
export function homeFromEnvironment(): string {
  return process.env['MAINSTEM_HOME'] || join(homedir(), '.mainstem')
}

export function wantsColour(): boolean {
  return process.stdout.isTTY && process.env['NO_COLOR'] === undefined
}
