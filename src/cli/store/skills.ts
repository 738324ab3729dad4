import { jsonText } from '../frame/output.ts'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { grantTools } from '../../agent/state/approvals.ts'
import { branchFor } from '../../agent/branch/binding.ts'
import { skillsText, skillsView } from '../../view/skills-text.ts'
import { systemClock } from '../../base/clock.ts'
import { isJsonObject, type JsonObject } from '../../base/json.ts'
import { systemRandom } from '../../base/random.ts'
import { refusedHere } from '../../command/read/rights.ts'
import { readConfig } from '../../config/config.ts'
import {
  loadHomeSkills,
  loadOneSkill,
  planSkillCall,
  type SkillParts,
} from '../../runtime/home/home-skills.ts'
import { makeHome } from '../../runtime/home/home.ts'
import { homeSkills, shippedFolder, shippedSkills } from '../../runtime/home/skill-places.ts'
import { skillForJob } from '../../runtime/tool/skill-for-job.ts'
import { terminalAddress } from '../../runtime/terminal/place.ts'
import { copyFolder } from '../../skill/copy-folder.ts'
import type { Skill } from '../../skill/skill.ts'
import { minimalEnvironment } from '../../tool/process/minimal-environment.ts'
import { CommandError, UsageError, type Command, type CommandCall } from '../frame/command.ts'
import { writeLog } from '../talk/write-log.ts'

export const skillsCommand: Command = {
  name: 'skills',
  summary: 'list, check, add and allow skills',
  usage: '[list [--json] | show NAME [--job] | check DIR | add NAME|DIR | allow NAME | dry-run TOOL JSON]',
  details: `  list               all skills, why one is not loaded, and the bundled ones (the default)
  show NAME          what the model reads of a skill, and its tools
  check DIR          checks whether the folder DIR is a valid skill
  add NAME|DIR       copies a bundled skill, or a folder, into HOME/skills
  allow NAME         allows the tools of a skill, as they are now; /disallow undoes it
  dry-run TOOL JSON  shows the command a call would run, without running it

  --json             the list as JSON
  --job              as a job loads it: its commands are run if skills.allowScripts is on
  --yes              lets a program, or a pipe, allow

A skill is a folder with a SKILL.md; a tools.json next to it gives the model tools. Changes take
effect after a restart or /reload.`,
  verbs: {
    list: { takes: '', run: list },
    show: { takes: 'NAME', run: (call, [name = '']) => show(call, name) },
    check: { takes: 'DIR', run: (call, [directory = '']) => check(call, directory) },
    add: { takes: 'NAME|DIR', run: (call, [what = '']) => add(call, what) },
    allow: { takes: 'NAME', run: (call, [name = '']) => allow(call, name) },
    'dry-run': { takes: 'TOOL JSON', run: (call, [tool = '', json = '']) => dryRun(call, tool, json) },
  },
}

function partsOf(call: CommandCall): SkillParts {
  const { home, environment } = call
  const { values } = readConfig(call)
  return { home, workspace: join(home, 'workspace'), values, environment: minimalEnvironment(environment) }
}

async function list(call: CommandCall): Promise<number> {
  const loaded = await loadHomeSkills(partsOf(call))
  const shipped = shippedSkills()
  return call.print(skillsView({ ...loaded, shipped }), () => skillsText({ ...loaded, shipped }))
}

async function show(call: CommandCall, name: string): Promise<number> {
  const skill = await skillNamed(call, name)
  const body = call.isSet('job')
    ? await skillForJob(skill, partsOf(call), new AbortController().signal)
    : skill.body
  const lines = [
    `${skill.name}: ${skill.description}`,
    `folder: ${skill.directory}`,
    ...(skill.tools.length === 0 ? [] : [`tools: ${skill.tools.map(({ spec }) => spec.name).join(', ')}`]),
    ...(skill.files.length === 0 ? [] : [`files: ${skill.files.join(', ')}`]),
    ...skill.warnings.map((warning) => `note: ${warning}`),
    '',
    ...body.split('\n'),
  ]
  return call.say(lines.join('\n'))
}

async function skillNamed(call: CommandCall, name: string): Promise<Skill> {
  const loaded = await loadHomeSkills(partsOf(call))
  const skill = loaded.skills.find((one) => one.name === name)
  if (skill !== undefined) return skill
  const report = loaded.reports.find((one) => one.name === name)
  if (report !== undefined)
    throw new CommandError(`The skill '${name}' is not loaded: ${report.because ?? report.state}`)
  const isShipped = shippedSkills().some((one) => one.name === name)
  const how = isShipped ? `'mainstem skills add ${name}' adds it` : "'mainstem skills' lists them"
  throw new CommandError(`There is no skill '${name}'. ${how}`)
}

async function check(call: CommandCall, directory: string): Promise<number> {
  const { skill, because } = await loadOneSkill(resolve(directory), partsOf(call))
  if (skill === undefined) throw new CommandError(`${directory} cannot be loaded: ${because ?? ''}`)
  const tools = skill.tools.map(({ spec }) => spec.name)
  call.say(`${skill.name} can be loaded: ${skill.description}`)
  if (tools.length > 0) call.say(`  tools: ${tools.join(', ')}`)
  for (const warning of skill.warnings) call.say(`  note: ${warning}`)
  sayPrograms(call, skill, '  note: ')
  return 0
}

/** Warns about programs that Mainstem does not know: they can do whatever the person can. */
function sayPrograms(call: CommandCall, { unknownPrograms = [], network }: Skill, before = ''): void {
  if (network === true) call.say(`${before}its programs reach the network`)
  if (unknownPrograms.length === 0) return
  const runs = unknownPrograms.length === 1 ? 'runs' : 'run'
  const text = `${unknownPrograms.join(', ')} ${runs} as you; look at its tools.json before you allow it`
  call.say(`${before}${text}`)
}

async function add(call: CommandCall, what: string): Promise<number> {
  const shipped = shippedSkills().find(({ name }) => name === what)
  const from = shipped === undefined ? resolve(what) : join(shippedFolder, what)
  const { skill, because } = await loadOneSkill(from, partsOf(call))
  if (skill === undefined) {
    const names = shippedSkills().map(({ name }) => name)
    const known = existsSync(from) ? '' : `. Bundled skills: ${names.join(', ')}`
    throw new CommandError(`${what} cannot be added: ${because ?? ''}${known}`)
  }
  const to = join(homeSkills(call.home), skill.name)
  if (existsSync(to)) throw new CommandError(`${to} already exists. Move it away first to add it again`)
  makeHome(call.home)
  const copied = copyFolder(from, to)
  if (copied !== undefined) throw new CommandError(`${from} could not be copied to ${to}: ${copied.problem}`)
  call.say(`Added ${skill.name} to ${to}. Takes effect after a restart or /reload.`)
  if (skill.tools.length > 0)
    call.say(
      `Its tools run once you allow them: /allow ${skill.name} in a conversation, or mainstem skills allow ${skill.name}`,
    )
  sayPrograms(call, skill)
  return 0
}

async function allow(call: CommandCall, name: string): Promise<number> {
  const skill = await skillNamed(call, name)
  const refused = refusedHere(call.origin, { command: { name: 'skills', allow: name } })
  if (refused !== undefined) throw new CommandError(refused)
  const names = skill.tools.map(({ spec }) => spec.name)
  if (names.length === 0) return call.say(`${name} has no tools, so there is nothing to allow.`)
  sayPrograms(call, skill)
  const [at, seed] = [systemClock(), systemRandom()]
  const tools = skill.tools.map(({ spec, nature }) => ({ name: spec.name, fingerprint: nature.fingerprint }))
  await writeLog(
    { home: call.home, command: 'mainstem skills allow', origin: call.origin },
    {
      attached: (client) => client.call('POST', '/api/grants', { body: { tools } }),
      opened: (log) =>
        log.write((writing) => {
          const branch = branchFor(writing, terminalAddress, { at, seed })
          grantTools(writing, skill.tools, { branch, at, author: { by: 'person' } })
        }),
    },
  )
  return call.say(
    `Allowed: ${names.join(', ')}. In a conversation, /allow lists what is allowed and /disallow undoes it.`,
  )
}

async function dryRun(call: CommandCall, tool: string, json: string): Promise<number> {
  const plan = await planSkillCall(tool, argumentsIn(json), partsOf(call))
  if ('problem' in plan) throw new CommandError(`${tool} would not run: ${plan.problem}`)
  call.say(jsonText([plan.file, ...plan.argv]))
  call.say(`in ${plan.cwd}`)
  if (plan.stdin !== undefined) call.say(`with ${plan.stdin.length} characters on its standard input`)
  for (const { param, command } of plan.unresolved) call.say(`first, ${param} would be made by: ${command}`)
  return 0
}

function argumentsIn(json: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (cause) {
    throw new UsageError(
      `The arguments are not JSON: ${(cause as Error).message}. Put them in single quotes: '{"a": 1}'`,
    )
  }
  if (isJsonObject(value)) return value
  throw new UsageError(`The arguments are not a JSON object: ${json.slice(0, 80)}`)
}
