import type { RunAsked } from '../../src/agent/run/run-act.ts'
import { proposing } from '../../src/agent/right/proposing.ts'
import { followUpTool } from '../../src/agent/tools/follow-up.ts'
import { pingUserTool } from '../../src/agent/tools/ping.ts'
import { reminderTools } from '../../src/agent/tools/reminders.ts'
import { reportUpdatesTool } from '../../src/agent/tools/report-updates.ts'
import type { StepInput } from '../../src/model/scripted.ts'
import { scriptedModel } from '../../src/model/scripted.ts'
import type { Reminder } from '../../src/schedule/definition.ts'
import { newReminder, runAtOf } from '../../src/schedule/new-reminder.ts'
import { memoryShelf, type MemoryShelf } from './memory-shelf.ts'
import { results } from './rig.ts'
import { stage, START, type Stage, type StageOptions } from './stage.ts'

export const ZONE = 'Europe/Berlin'

export type Calling = Stage & { readonly shelf: MemoryShelf; given(): string[] }

/** A stage whose model makes these calls, a step each, and then is silent. */
export async function withCalls(steps: readonly StepInput[], options: StageOptions = {}): Promise<Calling> {
  const shelf = (options.shelf ?? memoryShelf({ now: () => START })) as MemoryShelf
  const model = scriptedModel(steps)
  const at = await stage({
    shelf,
    models: { 'openai/x': model },
    settings: { model: 'openai/x' },
    ...options,
    tools: ({ log, clock }) => {
      const now = (): number => clock.now()
      const propose = proposing({ log, now, deliver: () => undefined })
      const parts = { log, shelf, now, settings: () => ({ zone: ZONE }), propose }
      return [...reminderTools(parts), followUpTool(parts), pingUserTool, reportUpdatesTool]
    },
  })
  const given = () => {
    const prompt = model.prompts.at(-1)
    return (prompt === undefined ? [] : results(prompt)).map((result) => result.error ?? result.text ?? '')
  }
  return Object.assign(at, { shelf, given })
}

export const call = (tool: string, args: object = {}): StepInput => ({
  calls: [{ tool, args: { ...args } }],
})
export const say = (text: string): StepInput => ({ reply: { text } })

export const remindersOn = (shelf: MemoryShelf): Reminder[] =>
  shelf.jobs().flatMap(({ definition }) => (definition.kind === 'reminder' ? definition : []))

/** What a run may have that main does not give to what it plans. */
export const bold: Partial<RunAsked> = {
  tag: 'routine-bg',
  isolated: true,
  model: 'openai/x',
  thinking: 'off',
  reporting: 'always',
  tools: ['web_fetch'],
  skills: ['pdf'],
}

/** Files that stand there before. */
export async function shelfWith(
  ...reminders: readonly (Partial<Reminder> & { id: string; inMs?: number })[]
) {
  const shelf = memoryShelf({ now: () => START })
  for (const { inMs = 3_600_000, ...said } of reminders)
    await shelf.write(newReminder({ body: `${said.id} it`, runAt: runAtOf(START + inMs, ZONE), ...said }))
  return shelf
}
