import type { PromptCall, PromptMessage } from '../../event/prompt.ts'
import { candidatesIn, choose, type Candidate, type Chosen } from './choosing.ts'
import { changeErrand, type ChangeTool, type Choice, type Errand } from './errand.ts'
import { whenQuestion, whichQuestion } from './errand-questions.ts'
import { resultIn } from './result.ts'

type Result = Extract<PromptMessage, { role: 'tool' }>
type Call = Omit<PromptCall, 'id'>

const LISTS: Readonly<Record<ChangeTool, Call>> = {
  cancel_reminder: { tool: 'list_reminders', args: {} },
  todo_done: { tool: 'todo_list', args: {} },
  todo_update: { tool: 'todo_list', args: {} },
  todo_delete: { tool: 'todo_list', args: { which: 'all' } },
}

export interface ErrandWork {
  readonly errands: readonly Errand[]
  readonly choices: readonly Choice[]
  readonly results: readonly Result[]
  readonly isNew: boolean
}

/** What to call next: first what needs nothing else and the lists to choose from, then what was chosen. */
export function errandCalls(work: ErrandWork, mayCall: (tool: string) => boolean): Call[] {
  const { errands, choices, results, isNew } = work
  const wanted = choices.filter(({ tool }) => mayCall(tool) && mayCall(LISTS[tool].tool))
  if (isNew)
    return distinct([
      ...errands.filter(({ tool }) => mayCall(tool)).map(callOf),
      ...wanted.map(({ tool }) => LISTS[tool]),
    ])
  // All that was chosen is called in one step: once one of them has a result, all have been.
  if (results.some(({ tool }) => wanted.some((choice) => choice.tool === tool))) return []
  return distinct(wanted.flatMap((choice) => chosenBy(choice, results).calls))
}

function callOf({ tool, args }: Errand): Call {
  return { tool, args: { ...args } }
}

/** "Cancel the mum one and the one about mum" cancels once. */
function distinct(calls: readonly Call[]): Call[] {
  const keys = calls.map((call) => JSON.stringify(call))
  return calls.filter((_, at) => keys.indexOf(keys[at] ?? '') === at)
}

const CALLS_MAX = 50

function chosenBy(choice: Choice, results: readonly Result[]): { calls: Call[]; line?: string } {
  const { tool, args } = LISTS[choice.tool]
  const listed = results.find((result) => result.tool === tool)
  if (listed === undefined) return { calls: [] }
  const { words, isError } = resultIn(listed.text)
  if (isError) return { calls: [], line: `That did not work: ${words}` }
  const candidates = candidatesIn(words)
  if (choice.isAll && candidates.length > 0)
    return { calls: candidates.slice(0, CALLS_MAX).map(({ key }) => callOf(changeErrand(choice, key))) }
  const chosen = chosenFrom(choice, candidates)
  if (chosen.kind === 'one') return { calls: [callOf(changeErrand(choice, chosen.is.key))] }
  if (chosen.kind === 'several')
    return {
      calls: [],
      line: whichQuestion(
        choice,
        chosen.are.map(({ line }) => line),
      ),
    }
  return { calls: [], line: noneText(choice, { isEmpty: candidates.length === 0, isAll: 'which' in args }) }
}

const NEWEST = /^(?:the |my )*(?:last|latest|newest|most recent)(?: one)?$/iu

/** The list is in the order in which they come: which one was set last it does not tell. */
function chosenFrom({ tool, words }: Choice, candidates: readonly Candidate[]): Chosen {
  const isUnknown = tool === 'cancel_reminder' && NEWEST.test(words.trim()) && candidates.length > 1
  return isUnknown ? { kind: 'several', are: candidates } : choose(words, candidates)
}

function noneText({ tool, words }: Choice, { isEmpty, isAll }: { isEmpty: boolean; isAll: boolean }): string {
  if (tool === 'cancel_reminder')
    return isEmpty ? 'No reminders are set.' : `No reminder fits "${words}", so none is cancelled.`
  const what = isAll ? 'to-do' : 'open to-do'
  return isEmpty ? `There is no ${what} on your list.` : `No ${what} fits "${words}", so nothing is changed.`
}

/** What became of it all, in the words of who did it. */
export function errandLines({ errands, choices, results }: ErrandWork): string[] {
  const lists = new Set<string>(errands.map(({ tool }) => tool).filter((tool) => /list/u.test(tool)))
  const reminding = errands.filter(({ tool }) => tool === 'add_reminder')
  const done = results.filter(isErrandResult).flatMap((result) => {
    const { words, isError } = resultIn(result.text)
    if (/list/u.test(result.tool)) return lists.delete(result.tool) ? [listText(result.tool, words)] : []
    // That there is another check is between the chain and whoever looks at it.
    if (result.tool === 'follow_up_chain') return []
    const task = result.tool === 'add_reminder' ? reminding.shift()?.task : undefined
    if (!isError) return [words]
    return [`That did not work: ${words}`, ...(task === undefined ? [] : [whenQuestion(task)])]
  })
  return [...done, ...choices.flatMap((choice) => chosenBy(choice, results).line ?? [])]
}

function listText(tool: string, words: string): string {
  if (tool !== 'list_reminders' || candidatesIn(words).length === 0) return words
  return `Your reminders:\n${words.replaceAll(/^/gmu, '- ')}`
}

export function isErrandResult({ tool }: Pick<Result, 'tool'>): boolean {
  return /^(?:(?:add|cancel)_reminder|list_reminders|todo_\w+|follow_up_chain)$/u.test(tool)
}

/** Where the tool may not be called. */
export function errandNotDone({ tool, args }: Errand | (Choice & { readonly args?: undefined })): string {
  const nothing = 'but I may not do that here, so nothing was done.'
  if (tool === 'add_reminder') {
    const { text = '', when = '' } = args ?? {}
    return `I understood that I shall remind you ${when}: "${text}", ${nothing} \`mainstem reminder add\` does it.`
  }
  const isTodo = tool.startsWith('todo')
  return `I understood this as a wish about your ${isTodo ? 'to-do list' : 'reminders'}, ${nothing} ${isTodo ? '`mainstem todo`' : '`/reminders`'} shows them.`
}
