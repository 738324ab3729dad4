import {
  type ActTool,
  type Actor,
  type Planned,
  type PlannedCall,
  type Said,
  ok,
  refusal,
} from '../../agent/contract/act.ts'
import { actClearByModel, actMark, markText, takesAway } from '../../agent/branch/context-acts.ts'
import { actFork } from '../../agent/branch/fork-act.ts'
import { actKill } from '../../agent/branch/kill-act.ts'
import { actCheckMail, actSend } from '../../agent/branch/mail-acts.ts'
import { alreadyAt, knownMarks, sayRefusal, unknownMark } from '../../agent/branch/refusals.ts'
import { unreachable } from '../../base/assert.ts'
import type { Inheritance } from '../../context/fork.ts'
import type { Position, BranchId } from '../../event/id.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import { builtIn } from '../../tool/tool.ts'
import { parseSlash, slashCommands, slashUsage, type SlashCommand } from '../read/parse.ts'
import { getBranch } from '../../context/branch.ts'
import { marksOf } from '../../context/version.ts'
import type { Reader, Writing } from '../../event/table.ts'

/** Word for word as in the original design: models know the tool in this form. */
const spec: ToolSpec = {
  name: 'slash',
  description: 'Execute a slash command',
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'string', enum: [...slashCommands], description: 'The command to execute' },
      args: { type: 'string', description: 'Command arguments as a single string' },
    },
    required: ['command'],
  },
}

/** The commands models may use; they get the same texts as people, with the commands as a model calls them. */
export const slashTool: ActTool = {
  spec,
  nature: builtIn('steers'),
  plan: (writing, actor, calls) => {
    const marks = new PlannedMarks(writing, actor.branch)
    return calls.map((call) => planCall({ writing, actor, marks, step: call.step.position }, call))
  },
}

interface Planning {
  readonly writing: Writing
  readonly actor: Actor
  readonly marks: PlannedMarks
  /** The assistant message with the calls. */
  readonly step: Position
}

function planCall(planning: Planning, { args, bad }: PlannedCall): Planned {
  if (bad !== undefined) return { said: refusal(bad) }
  const { command, args: words = null } = args
  if (typeof command !== 'string' || (words !== null && typeof words !== 'string'))
    return { said: refusal(`Usage: {"command": one of ${slashCommands.join(', ')}, "args"?: a string}`) }
  const read = parseSlash(command, words ?? undefined)
  if (read.kind === 'mistake') return { said: refusal(read.say) }
  const planned = planCommand(planning, read.command)
  return { ...planned, said: withUsage(planned.said, read.command) }
}

/** Adds the usage to a refusal: a model cannot ask for /help. */
function withUsage(said: Said, { name }: SlashCommand): Said {
  if (!said.isError) return said
  const text = said.text.replaceAll(OWN_COMMAND, 'slash $1')
  return { ...said, text: text.includes('Usage: ') ? text : `${text}\nUsage: ${slashUsage(name)}` }
}

const OWN_COMMAND = new RegExp(`(?<!\\S)/(${slashCommands.join('|')})\\b`, 'g')

function planCommand(planning: Planning, command: SlashCommand): Planned {
  const { writing, actor } = planning
  switch (command.name) {
    case 'mark':
      return planMark(planning, command.mark)
    case 'clear':
      return planClear(planning, command.mark)
    case 'fork':
      return { said: planFork(planning, command) }
    case 'send':
      return { said: actSend(writing, actor, { to: command.id, text: command.message }) }
    case 'check-mail':
      return { said: actCheckMail(writing, actor) }
    case 'kill':
      return { said: actKill(writing, actor, command.id) }
    default:
      return unreachable(command)
  }
}

function planMark({ actor, marks }: Planning, name: string | null): Planned {
  if (name === null) return { said: refusal(`Usage: slash mark NAME\n${knownMarks(marks.all)}`) }
  const said = ok(markText(name, marks.find(name) !== undefined))
  marks.set(name)
  return { said, afterResults: (writing) => void actMark(writing, actor, { name }) }
}

function planClear({ writing, actor, marks, step }: Planning, name: string | null): Planned {
  if (name !== null) {
    const mark = marks.find(name)
    if (mark === undefined) return { said: unknownMark(name, marks.all) }
    const isThere = marks.isHere(name) || (mark.at !== null && !takesAway(writing, actor.branch, mark.at))
    if (isThere && marks.all.at(-1)?.name === name) return { said: alreadyAt(name, marks.all.at(-2)?.name) }
  }
  marks.cutAfter(name)
  return {
    said: ok(name === null ? 'Context cleared.' : `Rewound to '${name}'.`),
    afterResults: (after) => actClearByModel(after, actor, { name: name ?? undefined, step }),
  }
}

/** Before the results: a child sees neither this step nor what the step cleared before. */
function planFork(
  { writing, actor, marks, step }: Planning,
  { mark, goal }: Extract<SlashCommand, { name: 'fork' }>,
): Said {
  if (mark !== null && marks.find(mark) === undefined) return unknownMark(mark, marks.all)
  const { inherit, end } = inheritance(marks, { mark, step })
  if (inherit.take === 'nothing' && goal === null)
    return mark === null
      ? refusal('This step clears the context, so the child would have no task. Add one: fork -- GOAL')
      : sayRefusal({ refused: 'nothing-to-do', what: 'fork' })
  return actFork(writing, actor, { inherit, mark, goal, mode: 'child', by: { kind: 'model', step: end } })
}

function inheritance(
  marks: PlannedMarks,
  { mark, step }: { mark: string | null; step: Position },
): { inherit: Inheritance; end: Position } {
  const cut = marks.clearedTo
  const end = typeof cut === 'number' ? ((cut + 1) as Position) : step
  const isEmpty = mark === null ? cut === null : marks.isHere(mark)
  if (isEmpty) return { inherit: { take: 'nothing' }, end }
  return { inherit: mark === null ? { take: 'everything' } : { take: 'after-mark', name: mark }, end }
}

interface PlannedMark {
  readonly name: string
  /** Null: it will be set after this step, so nothing follows it yet. */
  readonly at: Position | null
}

/** The marks as they will be after the step: those of the log, changed by the calls of the step so far. */
class PlannedMarks {
  #marks: readonly PlannedMark[]
  #clearedTo: Position | null | undefined

  constructor(reader: Reader, branch: BranchId) {
    this.#marks = marksOf(reader, getBranch(reader, branch))
  }

  get all(): readonly PlannedMark[] {
    return this.#marks
  }

  /** Where the step cut the context: after a mark, or (null) before everything; undefined: it did not. */
  get clearedTo(): Position | null | undefined {
    return this.#clearedTo
  }

  find(name: string): PlannedMark | undefined {
    return this.#marks.find((mark) => mark.name === name)
  }

  /** Whether nothing but this step follows the mark. */
  isHere(name: string): boolean {
    const mark = this.find(name)
    return mark !== undefined && (mark.at === null || mark.at === this.#clearedTo)
  }

  set(name: string): void {
    this.#marks = [...this.#marks.filter((mark) => mark.name !== name), { name, at: null }]
  }

  /** Null: removes all marks. */
  cutAfter(name: string | null): void {
    const mark = name === null ? undefined : this.find(name)
    this.#marks = mark === undefined ? [] : this.#marks.slice(0, this.#marks.indexOf(mark) + 1)
    // Rewinding to a mark of this step removes nothing.
    if (mark?.at !== null) this.#clearedTo = mark?.at ?? null
  }
}
