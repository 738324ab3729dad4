import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfigFile } from '../../config/file/write.ts'
import { agentsTemplate } from './agents-template.ts'
import { LogError } from '../../log/log.ts'
import { makeHome, unusable } from './home.ts'
import { JOB_FOLDERS } from './job-folders.ts'

export function agentsFile(home: string): string {
  return join(home, 'workspace', 'AGENTS.md')
}

/** Makes what a home needs and lacks. */
export function prepareHome(home: string): void {
  makeHome(home)
  createConfigFile(home)
  try {
    mkdirSync(join(home, 'workspace'), { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw unusable(home, cause)
  }
  for (const folder of JOB_FOLDERS) makeJobFolder(join(home, 'workspace', folder))
}

/** Whatever is in its way is told by who reads jobs, and no reason not to start. */
function makeJobFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}

/** AGENTS.md of the first start. Only then: a person who deleted it later wants no system text. */
export function prepareSystem(home: string): void {
  if (existsSync(agentsFile(home))) return
  try {
    writeFileSync(agentsFile(home), agentsTemplate, { mode: 0o600 })
  } catch (cause) {
    throw unusable(home, cause)
  }
}

/** Empty when there is none. */
export function readAgents(home: string): string {
  try {
    return readFileSync(agentsFile(home), 'utf8')
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return ''
    const what = `${agentsFile(home)} cannot be read: ${message}`
    throw new LogError('unreadable', `${what}. Make it a text file of yours, or move it away`, cause)
  }
}
