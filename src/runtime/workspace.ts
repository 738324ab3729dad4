import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfigFile } from '../config/write.ts'
import { agentsTemplate } from './agents-template.ts'
import { makeHome } from './home.ts'

export function agentsFile(home: string): string {
  return join(home, 'workspace', 'AGENTS.md')
}

/** Makes what a home needs and lacks; whether this is its first start. */
export function prepareHome(home: string): boolean {
  makeHome(home)
  const isFirst = !existsSync(join(home, 'log.db'))
  createConfigFile(home)
  mkdirSync(join(home, 'workspace'), { recursive: true, mode: 0o700 })
  // Only at first: a person who deleted it wants no system text.
  if (isFirst && !existsSync(agentsFile(home)))
    writeFileSync(agentsFile(home), agentsTemplate, { mode: 0o600 })
  return isFirst
}

/** The system text: AGENTS.md, trimmed; empty when there is none. */
export function readSystem(home: string): string {
  try {
    return readFileSync(agentsFile(home), 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
