import { counted, sentence } from '../../base/words.ts'
import { ok, refusal } from '../../agent/contract/act.ts'
import { modelNamed } from '../../agent/contract/world.ts'
import { missingModel, missingWords } from '../../agent/state/home-model.ts'
import { contentOf, setupNow, type Setup } from '../../agent/state/setup.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import type { Reader } from '../../event/table.ts'
import { ModelError } from '../../model/contract/model.ts'
import type { Commands, Desk } from '../desk/desk.ts'
import { setupOrProblem, takeSetup } from '../desk/setup-change.ts'
import { lineDifference } from '../../base/line-difference.ts'
import { clockIn } from '../../base/time-text.ts'
import { knownZone } from '../../agent/state/jobs.ts'
import { OR_NONE } from '../../config/type/value-type.ts'
import { jobText } from '../../event/job.ts'
import { OWNER } from '../../event/speaker.ts'
import { jobsView } from '../../view/jobs.ts'
import { nameIn, nextWords } from '../../view/jobs-text.ts'
import { toolDifference } from '../../view/prompt/prompt-difference.ts'

const UNKNOWN_CONTEXT_TOKENS = 100_000

/** The context of the chosen model; a guess if it cannot be opened. */
export function contextTokensOf(
  desk: Pick<Desk, 'openModel' | 'settings'>,
  model = desk.settings().model,
): number {
  const opened = modelNamed({ model: desk.openModel }, model)
  return opened instanceof ModelError ? UNKNOWN_CONTEXT_TOKENS : opened.contextTokens
}

export const settingsCommands: Commands<'model' | 'thinking' | 'reload' | 'timezone'> = {
  model: async (desk, { command: { model }, branch }) => {
    const settings = desk.settings()
    const missing = await desk.log.read((reader) => missingModel(reader, settings))
    const unset = missing && `${missingWords(missing)}.`
    if (model === null) return ok(`${unset ?? `The model is ${settings.model}.`}\n${MODEL_HELP}`)
    const problem = openable(desk, model) ?? (await desk.configure('model', model))
    if (problem !== undefined)
      return refusal(`${opened(problem)}\n${unset ?? `The model is still ${settings.model}.`}`)
    const now = missing?.name ?? settings.model
    const said = model === now && !missing ? `Already using ${model}.` : `Now using ${model} (was ${now}).`
    return { work: () => ok(said), isDone: true, after: () => desk.agent().wake([branch]) }
  },

  thinking: async (desk, { command: { thinking } }) => {
    const now = thinkingWords(desk.settings().thinking)
    if (thinking === null)
      return ok(`Thinking is ${now}. /thinking off, adaptive, or a number of tokens changes it.`)
    const problem = await desk.configure('thinking', thinking)
    return problem === undefined
      ? ok(`Thinking is now ${thinkingWords(thinking)} (was ${now}).`)
      : refusal(`${opened(problem)}\nThinking is still ${now}.`)
  },

  reload: async (desk) => {
    const skills = namesOf(desk)
    const setup = await setupOrProblem(desk, 'all')
    if (typeof setup === 'string') return refusal(`Not reloaded: ${setup}. The old text stays in use.`)
    const head = ['Reloaded.', ...headline({ before: skills, now: namesOf(desk) })].join(' ')
    return (writing, actor) => {
      const changes = differences(writing, setup)
      const told = takeSetup(writing, setup, actor)
        ? [`${head} What changed:`, ...changes]
        : ['Reloaded. Nothing changed.']
      return ok([...told, ...setup.notes].join('\n'))
    }
  },

  timezone: async (desk, { command: { zone: wanted }, source }) => {
    const before = desk.settings().zone
    await desk.shelf.refresh()
    if (wanted === null)
      return {
        look: (reader) => {
          const change =
            source.person === OWNER
              ? '/timezone NAME changes it, as in /timezone Europe/Berlin.'
              : 'If it is not yours, ask the owner to change it.'
          return ok(
            [`The time zone is ${before}. ${clockWords(desk)}`, ...next(reader, desk), change].join('\n'),
          )
        },
      }
    const problem = await desk.configure('timezone', wanted)
    if (problem !== undefined)
      return refusal(`${sentence(problem.replace(OR_NONE, ''))}\nThe time zone is still ${before}.`)
    const { zone } = desk.settings()
    const clock = clockWords(desk)
    const coming = await desk.log.read((reader) => next(reader, desk))
    return (writing, { branch, at, author }) => {
      if (knownZone(writing) !== zone) writing.append({ kind: 'zone-set', branch, at, zone, author })
      if (zone === before) return ok(`The time zone is ${zone} already. ${clock}`)
      const text = `The time zone is ${zone} from now on (was ${before}). ${clock}`
      return ok([text, MEANS, ...coming].join('\n'))
    }
  },
}

const MODEL_HELP = `/model NAME changes it. A name is PROVIDER/MODEL, or offline. Providers:
anthropic, openai, google, openrouter, ollama, openai-compatible.`

function openable(desk: Desk, name: string): string | undefined {
  const model = modelNamed({ model: desk.openModel }, name)
  return model instanceof ModelError ? model.message : undefined
}

function opened(text: string): string {
  // A name at the beginning, such as anthropic/MODEL, keeps its case.
  const begun = text.replace(/^[a-z]+(?= )/, (word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
  return sentence(begun)
}

function thinkingWords(thinking: string | number): string {
  return typeof thinking === 'number' ? `up to ${thinking} tokens` : thinking
}

const DIFFERENCE_LINES_MAX = 20

function namesOf(desk: Desk): readonly string[] {
  return desk.skills().skills.map(({ name }) => name)
}

/** `2 skills added: feeds, git.` */
function headline({ before, now }: { before: readonly string[]; now: readonly string[] }): string[] {
  const came = now.filter((name) => !before.includes(name))
  const went = before.filter((name) => !now.includes(name))
  return [...skillWords(came, 'added'), ...skillWords(went, 'removed')]
}

function skillWords(names: readonly string[], did: string): string[] {
  return names.length === 0 ? [] : [`${counted(names.length, 'skill')} ${did}: ${names.join(', ')}.`]
}

function differences(reader: Reader, { system, tools }: Setup): string[] {
  const before = setupNow(reader)
  const oldSystem = before === undefined ? '' : contentOf(reader, before.system)
  const oldTools = before === undefined ? [] : (JSON.parse(contentOf(reader, before.tools)) as ToolSpec[])
  const lines = oldSystem === system ? [] : lineDifference(oldSystem, system, DIFFERENCE_LINES_MAX)
  const { removed, added, changed } = toolDifference(oldTools, tools)
  return [
    ...lines.map((line) => line.trimEnd()),
    ...removed.map((name) => `- tool ${name}`),
    ...added.map((name) => `+ tool ${name}`),
    ...changed.map((name) => `~ tool ${name}`),
  ]
}

const MEANS = `Routines keep their time of day, in the new zone; reminders keep the moment they
were set for.`

function clockWords(desk: Desk): string {
  const { date, time } = clockIn(desk.now(), desk.settings().zone)
  return `It is ${date} ${time} there.`
}

const NEXT_MAX = 2

function next(reader: Reader, desk: Desk): string[] {
  const when = { now: desk.now(), zone: desk.settings().zone }
  const coming = jobsView(reader, { shelf: desk.shelf, when })
    .jobs.filter(({ next: at }) => at !== null && Date.parse(at) > when.now)
    .slice(0, NEXT_MAX)
    .map((job) => `${jobText(nameIn(job))}: ${nextWords(job.next, when)}`)
  return coming.length === 0 ? [] : [`Next: ${coming.join('; ')}.`]
}
