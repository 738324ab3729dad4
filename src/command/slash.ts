import {
  done,
  refusal,
  type Actor,
  type ActTool,
  type Planned,
  type PlannedCall,
  type Said,
} from '../agent/act.ts'
import { actClearByModel, actMark, markText } from '../agent/acts/context-acts.ts'
import { actFork, type ForkAsked } from '../agent/acts/fork-act.ts'
import { actKill } from '../agent/acts/kill-act.ts'
import { actCheckMail, actSend } from '../agent/acts/mail-acts.ts'
import { sayRefusal } from '../agent/acts/refusals.ts'
import { unreachable } from '../base/unreachable.ts'
import { getBranch } from '../context/branch.ts'
import { marksOf } from '../context/version.ts'
import type { ToolSpec } from '../event/prompt.ts'
import type { Writing } from '../log/log.ts'
import { parseSlash, slashCommands, type SlashCommand } from './parse.ts'

/** To the letter of the design it comes from: models know it in this form. */
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

/** The commands that a model may use, with the texts that people get. */
export const slashTool: ActTool = {
  spec,
  plan: (writing, actor, calls) => {
    const marks = new Marks(writing, actor)
    return calls.map((call) => planCall({ writing, actor, marks }, call))
  },
}

interface Planning {
  readonly writing: Writing
  readonly actor: Actor
  readonly marks: Marks
}

/** The marks as they will be behind the step: those of the log, changed by the acts that were planned so far. */
class Marks {
  #names: string[]
  /** Set in this step, so nothing lies behind them yet. */
  #fresh = new Set<string>()
  isCleared = false

  constructor(writing: Writing, { branch }: Actor) {
    this.#names = marksOf(writing, getBranch(writing, branch)).map(({ name }) => name)
  }

  has(name: string): boolean {
    return this.#names.includes(name)
  }

  isFresh(name: string): boolean {
    return this.#fresh.has(name)
  }

  set(name: string): void {
    this.#names = [...this.#names.filter((other) => other !== name), name]
    this.#fresh.add(name)
  }

  /** Null: all of them go. */
  cutAfter(name: string | null): void {
    const kept = name === null ? 0 : this.#names.indexOf(name) + 1
    this.#names = this.#names.slice(0, kept)
    if (name === null) this.isCleared = true
  }
}

function planCall(planning: Planning, { args, bad, step }: PlannedCall): Planned {
  if (bad !== undefined) return { said: refusal(bad) }
  const { command, args: words } = args
  if (typeof command !== 'string' || (words !== undefined && typeof words !== 'string'))
    return { said: refusal(`Usage: {"command": one of ${slashCommands.join(', ')}, "args"?: a string}`) }
  const read = parseSlash(command, words)
  if (read.kind === 'mistake') return { said: refusal(read.say) }
  return planCommand(planning, read.command, step)
}

function planCommand(planning: Planning, command: SlashCommand, step: PlannedCall['step']): Planned {
  const { writing, actor } = planning
  switch (command.name) {
    case 'mark':
      return planMark(planning, command.mark)
    case 'clear':
      return planClear(planning, command.mark, step)
    case 'fork':
      return { said: planFork(planning, command, step) }
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
  if (name === null) return { said: refusal('Usage: slash mark NAME') }
  const said = done(markText(name, marks.has(name)))
  marks.set(name)
  return { said, afterResults: (writing) => void actMark(writing, actor, name) }
}

function planClear(
  { writing, actor, marks }: Planning,
  name: string | null,
  step: PlannedCall['step'],
): Planned {
  if (name !== null && !marks.has(name)) return { said: unknownMark(writing, actor, name) }
  marks.cutAfter(name)
  const clear = { name: name ?? undefined, step: step.position }
  return {
    said: done(name === null ? 'Context cleared.' : `Rewound to '${name}'.`),
    afterResults: (after) => actClearByModel(after, actor, clear),
  }
}

/** Before the results, for a child sees nothing of this step; a mark of this step has nothing behind it. */
function planFork(
  { writing, actor, marks }: Planning,
  { mark, goal }: Extract<SlashCommand, { name: 'fork' }>,
  step: PlannedCall['step'],
): Said {
  if (mark !== null && !marks.has(mark)) return unknownMark(writing, actor, mark)
  const isEmpty = marks.isCleared || (mark !== null && marks.isFresh(mark))
  if (isEmpty && goal === null) return sayRefusal({ refused: 'nothing-to-do', what: 'fork' })
  const inherit: ForkAsked['inherit'] = isEmpty
    ? { take: 'nothing' }
    : mark === null
      ? { take: 'everything' }
      : { take: 'after-mark', name: mark }
  return actFork(writing, actor, { inherit, goal, mode: 'child', step: step.position })
}

function unknownMark(writing: Writing, { branch }: Actor, name: string): Said {
  return sayRefusal({ refused: 'unknown-mark', name, marks: marksOf(writing, getBranch(writing, branch)) })
}
