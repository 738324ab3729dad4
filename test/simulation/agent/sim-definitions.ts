import { reportings } from '../../../src/event/run.ts'
import type { Chance } from './chance.ts'
import { wallOf } from './naive-time.ts'

const SECOND_MS = 1_000
export const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'UTC', 'Australia/Lord_Howe']
const CRONS = [
  '* * * * *',
  '* * * * *',
  '* * * * *',
  '*/2 * * * *',
  '*/2 * * * *',
  '*/2 * * * *',
  '*/5 * * * *',
  '*/5 * * * *',
  '*/15 * * * *',
  '7,37 * * * *',
  '0 * * * *',
  '30 2 * * *',
  '0 2-3 * * *',
  '15 9 * * 1-5',
  '0 */6 * * 0,7',
  '5 3 1,15 * 1',
]
const CATCH_UPS = ['skip', 'once', 'once', '10m', '1h', '2 days']
const BROKEN_CRONS = ['61 * * * *', 'every day', '* * *']

/** A job as a person means it, as the content of its file. */
export interface Plan {
  readonly kind: 'routine' | 'reminder'
  readonly file: string
  readonly fields: ReadonlyMap<string, string>
  readonly body: string
}

export interface PlanParts {
  readonly chance: Chance
  readonly number: () => number
  readonly now: number
  readonly zone: string
}

/** A file with everything that front matter can have. */
export function planText({ fields, body }: Plan): string {
  const lines = [...fields].map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  return ['---', ...lines, '---', body, ''].join('\n')
}

export function somePlan(parts: PlanParts): Plan {
  const { chance } = parts
  return chance.oneIn(2) ? someRoutine(parts, `daily-${chance.below(3)}`) : someReminder(parts)
}

function someRoutine(parts: PlanParts, id: string): Plan {
  const { chance, number } = parts
  const background = !chance.oneIn(4)
  const isolated = background && chance.oneIn(4)
  const fields = new Map([['cron', chance.pick(CRONS)], ...common(parts, { background, isolated })])
  if (background && !isolated && chance.oneIn(2)) fields.set('session', 'persistent')
  if (!chance.oneIn(3)) fields.set('catch-up', chance.pick(CATCH_UPS))
  if (chance.oneIn(4)) fields.set('timezone', chance.pick(ZONES))
  return { kind: 'routine', file: `routines/${id}.md`, fields, body: `Do routine ${number()}.` }
}

/** Often due, and free to write to the person. */
export function chore({ chance, number }: PlanParts, id: string): Plan {
  const fields = new Map([
    ['cron', chance.pick(['* * * * *', '*/2 * * * *'])],
    ['background', 'true'],
    ['catch-up', 'once'],
    ...(chance.oneIn(2) ? ([['session', 'persistent']] as const) : []),
  ])
  return { kind: 'routine', file: `routines/${id}.md`, fields, body: `Do chore ${number()}.` }
}

/** Mostly soon, sometimes in the past, rarely tomorrow. */
const DELAYS_MS = [1, 20, 20, 90, 300, 300, 1_200, 3_600, 18_000, 90_000, -1, -400].map((s) => s * SECOND_MS)

function someReminder(parts: PlanParts): Plan {
  const { chance, number } = parts
  const background = chance.oneIn(2)
  const isolated = background && chance.oneIn(4)
  const fields = new Map([...someTime(parts), ...common(parts, { background, isolated })])
  if (chance.oneIn(2)) fields.set('max-chain', String(1 + chance.below(3)))
  if (chance.oneIn(30)) fields.set('for', 'anna')
  const id = chance.oneIn(3) ? `once-${chance.below(3)}` : `once-${number()}`
  return { kind: 'reminder', file: `reminders/${id}.md`, fields, body: `Remind of ${number()}.` }
}

/** With an offset, in the configured zone, or in one of its own. */
function someTime({ chance, now, zone }: PlanParts): [string, string][] {
  const at = now + chance.pick(DELAYS_MS)
  if (chance.oneIn(3)) return [['run-at', `${wallOf(at, 'UTC')}Z`]]
  if (chance.oneIn(2)) return [['run-at', wallOf(at, zone)]]
  const own = chance.pick(ZONES)
  return [
    ['run-at', wallOf(at, own)],
    ['timezone', own],
  ]
}

function common(
  { chance }: PlanParts,
  { background, isolated }: { background: boolean; isolated: boolean },
): [string, string][] {
  return [
    ['background', String(background)],
    ['isolated', String(isolated)],
    ['allow-ping', String(!chance.oneIn(4))],
    ['update-main-session', chance.pick([...reportings, 'on_ping', 'always'])],
    ...(chance.oneIn(4) ? ([['model', chance.pick(['offline', 'openai/gone'])]] as [string, string][]) : []),
  ]
}

/** Another time, another task, or both. */
export function edited(plan: Plan, parts: PlanParts): Plan {
  const { chance, number } = parts
  const body = chance.oneIn(2) ? plan.body : `Do instead ${number()}.`
  if (chance.oneIn(3)) return { ...plan, body }
  const fields = new Map(plan.fields)
  if (plan.kind === 'routine') fields.set('cron', chance.pick(CRONS))
  else {
    fields.delete('timezone')
    for (const [key, value] of someTime(parts)) fields.set(key, value)
  }
  return { ...plan, fields, body }
}

/** The same file with an error in it. */
export function brokenText(plan: Plan, chance: Chance): string {
  const fields = new Map(plan.fields)
  if (chance.oneIn(3)) return plan.body
  if (plan.kind === 'routine') fields.set('cron', chance.pick(BROKEN_CRONS))
  else fields.set('run-at', 'soon')
  return planText({ ...plan, fields })
}
