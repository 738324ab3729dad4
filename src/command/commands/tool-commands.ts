import { clockIn } from '../../base/time-text.ts'
import { ok, refusal } from '../../agent/contract/act.ts'
import { grantsIn } from '../../agent/state/approvals.ts'
import { personIn } from '../../agent/state/person.ts'
import { OWNER } from '../../event/speaker.ts'
import { memoryIn } from '../../agent/state/setup.ts'
import { MEMORY_FILE, otherLines } from '../../memory/memory-file.ts'
import { ifPathError, PathError } from '../../tool/files/path.ts'
import { counted, sentence } from '../../base/words.ts'
import { quotable } from '../read/arguments.ts'
import type { Commands, Work } from '../desk/desk.ts'
import { inTurn, remember } from '../desk/proposal.ts'
import { allowAll, unknownTool } from './permission-commands.ts'
import { setupOrProblem, takeSetup } from '../desk/setup-change.ts'
import { skillsText } from '../../view/skills-text.ts'
import { toolText, toolsText } from '../../view/tools-text.ts'

export const toolCommands: Commands<'tools' | 'skills' | 'memory' | 'remember'> = {
  tools: (desk, { command: { tool: name } }) => ({
    look: (reader, { settings, branch }) => {
      const person = personIn(reader, branch)
      const look = { tools: desk.tools(), grants: grantsIn(reader, person), mode: settings.permissions }
      if (name === null) return ok(toolsText({ ...look, servers: desk.servers(), isOwner: person === OWNER }))
      const tool = look.tools.find(({ spec }) => spec.name === name)
      return tool === undefined ? refusal(unknownTool(desk, name)) : ok(toolText(tool, look))
    },
  }),

  skills: (desk, { command: { allow: name } }) => {
    if (name === null) return ok(skillsText(desk.skills()))
    const { skills, reports } = desk.skills()
    const skill = skills.find((one) => one.name === name)
    if (skill === undefined) {
      const because = reports.find((one) => one.name === name)?.because
      return refusal(
        because
          ? `'${quotable(name)}' is not loaded: ${because}`
          : `There is no skill '${quotable(name)}'. /skills lists them.`,
      )
    }
    return skill.tools.length === 0
      ? ok(`${name} has no tools, so there is nothing to allow.`)
      : allowAll(skill.tools)
  },

  memory: async (desk) => {
    const others = otherLines((await desk.workspace.read(MEMORY_FILE).catch(ifPathError)) ?? '')
    return {
      look: (reader, { settings, branch }) => {
        const person = personIn(reader, branch)
        const lines = memoryIn(reader, person)
        if (lines.length === 0 && person !== OWNER)
          return ok('Nothing is remembered yet. Use /remember TEXT.')
        if (lines.length === 0)
          return ok(
            `Nothing is remembered yet. Use /remember TEXT, or write a list into ${MEMORY_FILE} in the workspace.`,
          )
        const shown = lines.map(({ text, since }) => `  ${clockIn(since, settings.zone).date}  ${text}`)
        const rest = `  … and ${counted(others, 'line')} more outside of lists; the model sees them too.`
        const change =
          person !== OWNER
            ? '/remember TEXT adds a line.'
            : `Edit ${MEMORY_FILE} in ${desk.workspace.root} and /reload to change it.`
        return ok(['Always remembered:', ...shown, ...(others === 0 ? [] : [rest]), change].join('\n'))
      },
    }
  },

  remember: async (desk, order) => {
    const line = order.command.text.replaceAll(/\s+/g, ' ').trim()
    if (line.length > LINE_CHARS_MAX)
      return refusal(`A line can have at most ${LINE_CHARS_MAX} characters; this one has ${line.length}.`)
    return inTurn(desk, order, async () => {
      try {
        const text = await remember(desk, { line, replaces: null })
        const setup = await setupOrProblem(desk, 'files')
        if (typeof setup === 'string') return ok(`${text}\nTakes effect after /reload: ${sentence(setup)}`)
        const work: Work = (writing, actor) => {
          takeSetup(writing, setup, actor)
          return ok(text)
        }
        return { work, isDone: true }
      } catch (error) {
        if (!(error instanceof PathError)) throw error
        return refusal(`It could not be written: ${sentence(error.message)}`)
      }
    })
  },
}

const LINE_CHARS_MAX = 300
