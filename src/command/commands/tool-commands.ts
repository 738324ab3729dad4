import { clockIn } from '../../base/time-text.ts'
import { type Said, ok, refusal } from '../../agent/contract/act.ts'
import { grantsIn } from '../../agent/state/approvals.ts'
import { memoryIn } from '../../agent/state/memory.ts'
import { nearest } from '../../base/nearest.ts'
import { MEMORY_FILE, otherLines } from '../../memory/memory-file.ts'
import { PathError } from '../../tool/files/path.ts'
import { counted, sentence } from '../../base/words.ts'
import { quotable } from '../read/arguments.ts'
import { conclude, concludeDone, concludeLook, type Desk, type OrderOf } from '../desk/desk.ts'
import { oneByOne, remember } from '../desk/proposal.ts'
import { allowAll } from './permission-commands.ts'
import { setupOrProblem, takeSetup } from '../desk/setup-change.ts'
import { skillsText } from '../../view/skills-text.ts'
import { toolText, toolsText } from '../../view/tools-text.ts'

export function runTools(desk: Desk, order: OrderOf<'tools'>): Promise<Said | undefined> {
  const { tool: name } = order.command
  return concludeLook(desk, order, (reader, { settings }) => {
    const look = { tools: desk.tools(), grants: grantsIn(reader), mode: settings.permissions }
    if (name === null) return ok(toolsText({ ...look, servers: desk.servers() }))
    const tool = look.tools.find(({ spec }) => spec.name === name)
    if (tool !== undefined) return ok(toolText(tool, look))
    const near = nearest(
      name,
      look.tools.map(({ spec }) => spec.name),
    )
    return refusal(
      `There is no tool '${quotable(name)}'. ${near === undefined ? '/tools lists them.' : `Did you mean ${near}?`}`,
    )
  })
}

export function runSkills(desk: Desk, order: OrderOf<'skills'>): Promise<Said | undefined> {
  const { allow: name } = order.command
  if (name === null) return concludeLook(desk, order, () => ok(skillsText(desk.skills())))
  const { skills, reports } = desk.skills()
  const skill = skills.find((one) => one.name === name)
  const because = reports.find((one) => one.name === name)?.because
  if (skill === undefined) {
    const why = because
      ? `'${quotable(name)}' is not loaded: ${because}`
      : `There is no skill '${quotable(name)}'. /skills lists them.`
    return conclude(desk, order, () => refusal(why))
  }
  if (skill.tools.length === 0)
    return conclude(desk, order, () => ok(`${name} has no tools, so there is nothing to allow.`))
  return allowAll(desk, order, skill.tools)
}

export async function runMemory(desk: Desk, order: OrderOf<'memory'>): Promise<Said | undefined> {
  const others = otherLines(await fileText(desk))
  return concludeLook(desk, order, (reader, { settings }) => {
    const lines = memoryIn(reader)
    if (lines.length === 0)
      return ok(
        `Nothing is remembered yet. Use /remember TEXT, or write a list into ${MEMORY_FILE} in the workspace.`,
      )
    const shown = lines.map(({ text, since }) => `  ${clockIn(since, settings.zone).date}  ${text}`)
    return ok(
      [
        'Always remembered:',
        ...shown,
        ...(others === 0
          ? []
          : [`  … and ${counted(others, 'line')} more outside of lists; the model sees them too.`]),
        `Edit ${MEMORY_FILE} in ${desk.workspace.root} and /reload to change it.`,
      ].join('\n'),
    )
  })
}

async function fileText({ workspace }: Desk): Promise<string> {
  try {
    return (await workspace.read(MEMORY_FILE)) ?? ''
  } catch (error) {
    if (error instanceof PathError) return ''
    throw error
  }
}

const LINE_CHARS_MAX = 300

export function runRemember(desk: Desk, order: OrderOf<'remember'>): Promise<Said | undefined> {
  return oneByOne(desk, () => rememberLine(desk, order))
}

async function rememberLine(desk: Desk, order: OrderOf<'remember'>): Promise<Said | undefined> {
  const line = order.command.text.replaceAll(/\s+/g, ' ').trim()
  if (line.length > LINE_CHARS_MAX)
    return conclude(desk, order, () =>
      refusal(`A line can have at most ${LINE_CHARS_MAX} characters; this one has ${line.length}.`),
    )
  try {
    const text = await remember(desk, { line, replaces: null })
    const setup = await setupOrProblem(desk, 'files')
    return await concludeDone(desk, order, (writing, actor) => {
      if (typeof setup === 'string') return ok(`${text}\nTakes effect after /reload: ${sentence(setup)}`)
      takeSetup(writing, setup, actor)
      return ok(text)
    })
  } catch (error) {
    if (!(error instanceof PathError)) throw error
    return conclude(desk, order, () => refusal(`It could not be written: ${sentence(error.message)}`))
  }
}
