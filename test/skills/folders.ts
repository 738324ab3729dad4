import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { skillsCommand } from '../../src/cli/store/skills.ts'
import type { Json } from '../../src/base/json.ts'
import { runHere, tempFolder } from '../cli/run.ts'

/** Writes a file with all folders above it. */
export function put(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

export interface NewSkill {
  readonly description?: string
  readonly body?: string
  /** What its tools.json holds. */
  readonly tools?: Json
  /** By their paths in its folder. */
  readonly files?: Readonly<Record<string, string>>
}

/** A skill in a directory of skills; its folder. */
export function putSkill(
  directory: string,
  name: string,
  { description, body, tools, files }: NewSkill = {},
): string {
  const folder = join(directory, name)
  const head = ['---', `name: ${name}`, `description: ${description ?? `What ${name} is for`}`, '---', '']
  put(join(folder, 'SKILL.md'), `${head.join('\n')}${body ?? `How to ${name}.`}\n`)
  if (tools !== undefined) put(join(folder, 'tools.json'), JSON.stringify(tools))
  for (const [path, text] of Object.entries(files ?? {})) put(join(folder, path), text)
  return folder
}

/** A skill that comes along, in a home as `mainstem skills add` puts it there. */
export async function addShipped(home: string, ...names: readonly string[]): Promise<void> {
  for (const name of names)
    expect(await runHere(skillsCommand, home, ['add', name])).toMatchObject({ code: 0 })
}

/** A folder for PATH with programs of this runtime's own language, by their names. */
export function programs(texts: Readonly<Record<string, string>>): string {
  const folder = tempFolder()
  for (const [name, text] of Object.entries(texts)) {
    put(join(folder, name), `#!${process.execPath}\n${text}`)
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

/** A tools.json in which each tool is a subcommand of one program, with these words as its parameters. */
export function toolsOf(binary: string, tools: Readonly<Record<string, readonly string[]>>): Json {
  const names = Object.keys(tools)
  return {
    tools: names.map((name) => ({
      name,
      description: `Does ${name}`,
      parameters: {
        type: 'object',
        properties: Object.fromEntries((tools[name] ?? []).map((param) => [param, { type: 'string' }])),
      },
    })),
    allowlist: { [binary]: names },
    execution: names.map((name) => ({
      tool: name,
      binary,
      subcommand: name,
      args: (tools[name] ?? []).map((param) => ({ param, kind: 'flag' })),
    })),
  }
}
