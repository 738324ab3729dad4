import { type Actor, type Said, ok, refusal } from '../../agent/contract/act.ts'
import { budgetNow, noteFirstSize, noteSizes } from '../../agent/ping/budget-now.ts'
import type { BudgetSize } from '../../agent/state/ping-budget.ts'
import { accountOf } from '../../agent/ping/ping-account.ts'
import { capital, counted, sentence } from '../../base/words.ts'
import { jobText } from '../../event/job.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { BudgetSizing } from '../read/catalogue-pings.ts'
import { quotable } from '../read/arguments.ts'
import type { Commands, Desk, Outcome, Work } from '../desk/desk.ts'
import { leftText, pingBudgetText, pingLedgerText, shortName, WHY } from '../../view/pings-text.ts'
import { jobsOf, type JobRecord, type PingsLook } from '../../view/pings.ts'

export const pingBudgetCommands: Commands<'ping-budget'> = {
  'ping-budget': (desk, { command }) => {
    switch (command.act) {
      case 'show':
        return {
          look: (reader, actor) =>
            ok(`${pingBudgetText(reader, lookOf(reader, actor))}\n/ping-budget ${WHY}`),
        }
      case 'why':
        return { look: (reader, actor) => ok(pingLedgerText(reader, lookOf(reader, actor))) }
      case 'more':
        return (writing, actor) => takeBack(writing, actor, command.job)
      default:
        return resize(desk, command)
    }
  },
}

/** The person whose pings these are, whatever name the platform has for them. */
function lookOf(reader: Reader, { branch, at: now, settings }: Actor): PingsLook {
  return { person: accountOf(reader, branch).person, now, settings }
}

const KEYS = { capacity: 'pingCapacity', refill: 'pingRefillMinutes' } as const

async function resize(desk: Desk, { act, value }: BudgetSizing): Promise<Outcome> {
  const before = desk.settings().pings
  const problem = await desk.configure(KEYS[act], value)
  if (problem !== undefined) return refusal(`${sentence(problem)}\nNothing changed: ${sizeText(before)}`)
  const work: Work = (writing, actor) => {
    const look = lookOf(writing, actor)
    const noting = { ...actor, now: actor.at }
    noteFirstSize(writing, look.person, { ...noting, before })
    noteSizes(writing, noting)
    const budget = budgetNow(writing, look.person, look)
    const isWaiting = budget.capacity > before.capacity && budget.available < budget.capacity
    const note = isWaiting ? ' Raising it adds none at once.' : ''
    return ok(`${sizeText(actor.settings.pings)} ${leftText(budget)} available.${note}`)
  }
  return { work, isDone: true }
}

function sizeText({ capacity, refillMinutes }: BudgetSize): string {
  return `At most ${counted(capacity, 'ping')}, one added every ${refillMinutes} min.`
}

/** Undoes a /less. */
function takeBack(writing: Writing, { branch, at }: Actor, name: string): Said {
  const jobs = jobsOf(writing, accountOf(writing, branch).person)
  const less = jobs.filter((one) => one.less > 0)
  const [meant, ...others] = less.filter((one) => isCalled(one, name))
  if (meant === undefined) return refusal(noLess(name, { jobs, less }))
  if (others.length > 0)
    return refusal(`Several jobs are called ${name}: ${[meant, ...others].map(jobText).join(', ')}.`)
  writing.append({ kind: 'ping-answered', branch, at, ping: meant.ping, answer: 'more' })
  return ok(`${capital(jobText(meant))} may ping as before.`)
}

function isCalled(one: JobRecord, name: string): boolean {
  return one.job === name || jobText(one) === name
}

function noLess(
  name: string,
  { jobs, less }: { jobs: readonly JobRecord[]; less: readonly JobRecord[] },
): string {
  const known = jobs.find((one) => isCalled(one, name))
  const what =
    known === undefined
      ? `No job called '${quotable(name)}' has pinged yet.`
      : `You have not asked for less of ${jobText(known)}.`
  const names = less.map((one) => shortName(one, jobs)).join(', ')
  return names === '' ? what : `${what} You asked for less of: ${names}.`
}
