import { choose, candidatesIn } from './choosing.ts'
import { changeErrand, type ChangeTool, type Choice, type Errand } from './errand.ts'
import { capturedTask, type Task } from './errand-lead.ts'
import { turnedRound } from './ping-wishes.ts'
import { onlyTime } from './time-cut.ts'

/** What is missing is asked for, and the question is all that is kept of the wish: the next message answers it. */
export function whenQuestion({ link, words }: Task): string {
  return `When shall I remind you ${link === '' ? 'about' : link} ${turnedRound(words)}?`
}

export function whatQuestion(when: string): string {
  return `What shall I remind you of ${when}?`
}

const ACTS: Readonly<Record<ChangeTool, string>> = {
  cancel_reminder: 'cancel',
  todo_done: 'tick off',
  todo_update: 'change',
  todo_delete: 'delete',
}

export function whichQuestion(
  { tool, text }: Pick<Choice, 'tool' | 'text'>,
  lines: readonly string[],
): string {
  const what = tool === 'cancel_reminder' ? 'reminders' : 'to-dos'
  const to = text === undefined ? '' : ` to "${text}"`
  return [`Several ${what} fit:`, ...lines, `Which one shall I ${ACTS[tool]}${to}?`].join('\n')
}

const WHEN = /(?:^|\n)When shall I remind you (?<task>(?:to|about|that) [^\n]+)\?$/u
const WHAT = /(?:^|\n)What shall I remind you of (?<when>[^\n]+)\?$/u
const WHICH =
  /(?:^|\n)Several (?:reminders|to-dos) fit:\n(?<lines>[\s\S]+)\nWhich one shall I (?<act>cancel|tick off|change|delete)(?: to "(?<text>[^\n]*)")?\?$/u
const ANSWER_WORDS_MAX = 8
/** Somebody who thinks again, or asks back. */
const NO_ANSWER =
  /^(?:no|nope|never ?mind|forget (?:it|about it)|cancel|stop|none|neither|nothing|not now|do not|don't|what|who|how|why|when|where|which|thanks?|thank you|hello|hi|hey|help|yes|ok|okay|sure|i (?:do not|don't) know)\b/iu

/** What the answer to the last question asks for; undefined where it is none. */
export function answerIn(
  bare: string,
  { asked, today }: { readonly asked: string; readonly today: string | undefined },
): Errand | undefined {
  const question = asked.trim()
  const task = WHEN.exec(question)?.groups?.['task']
  if (task !== undefined) return timeAnswer(bare, capturedTask(task), today)
  if (NO_ANSWER.test(bare)) return undefined
  const when = WHAT.exec(question)?.groups?.['when']
  if (when !== undefined) return taskAnswer(bare, when)
  const which = WHICH.exec(question)?.groups
  return which === undefined ? undefined : choiceAnswer(bare, which)
}

function timeAnswer(bare: string, task: Task, today: string | undefined): Errand | undefined {
  const when = onlyTime(bare, today) ?? onlyTime(`at ${bare}`, today)
  return when === undefined ? undefined : remindErrand(task, when)
}

export function remindErrand(task: Task, when: string): Errand {
  return { kind: 'errand', tool: 'add_reminder', args: { text: task.words, when }, task }
}

function taskAnswer(bare: string, when: string): Errand | undefined {
  const task = capturedTask(bare)
  return task.words === '' || task.words.includes('?') ? undefined : remindErrand(task, when)
}

function choiceAnswer(
  bare: string,
  { lines = '', act = '', text }: Record<string, string | undefined>,
): Errand | undefined {
  const tools = Object.keys(ACTS) as ChangeTool[]
  const tool = tools.find((one) => ACTS[one] === act)
  if (tool === undefined || bare.split(/\s+/u).length > ANSWER_WORDS_MAX) return undefined
  const chosen = choose(bare, candidatesIn(lines))
  if (chosen.kind !== 'one') return undefined
  return changeErrand({ tool, ...(text !== undefined && { text }) }, chosen.is.key)
}
