import { cutText } from '../../base/words.ts'

/** Said in every answer that a real model would have given better. */
export const STAND_IN =
  'I\'m the offline stand-in: a few fixed rules, not a language model. A real model would answer you here. To connect one, set its key (such as ANTHROPIC_API_KEY) and type `/model anthropic/MODEL`, or say "help" to see what I understand.'

export const HELLO =
  'Hello! I\'m the offline stand-in: a few fixed rules, not a language model. Say "help" to see what I understand.'

export const HELP = [
  "I'm the offline stand-in, and these are the things I understand:",
  '- mark this as PLAN; rewind to PLAN; forget everything',
  '- fork this and compare the two drafts (a child does it)',
  '- let\'s talk about the garden on the side; then "save this", "report back" or "leave this fork"',
  '- any mail?; tell k3f9ab that the deadline moved; stop k3f9ab',
  '- remind me to call mum tomorrow at 9; what are my reminders?; cancel the reminder to call mum',
  "- add milk to my to-do list; what's on my list?; done with milk",
  '- what did I say about the dentist?; remember that I like tea',
  // Markdown takes a line right behind a list as part of its last item.
  '',
  '`/help` lists every command, and `/model` connects a real model.',
].join('\n')

export const NOT_IN_FORK =
  "We're not in a fork, so there is nothing to end. `/fork` opens one; if one is open already, `/agents` shows its ID and `/switch ID` takes you there."

export const IN_FORK =
  'We\'re in a fork now, and main doesn\'t see it. "save this", "report back" or "leave this fork" ends it.'

export const QUIET = "It's quiet here. `/save`, `/report` or `/exit` ends this fork."

export const WHEN =
  'When should I remind you? Give me a time that\'s still ahead, such as "tomorrow at 9" or "in 20 minutes".'

export const WHAT =
  'What should I remind you of? Say it in one sentence, such as "remind me to call mum tomorrow at 9".'

export const TIMES = 'That names more than one time. Give me one reminder after the other, please.'

export const REPEATS =
  'That repeats, so it\'s a routine and not a reminder. This sets one: `mainstem routine add "TEXT" --cron "0 8 * * *"`.'

const TASK_MAX = 160

/** The answer of a child or a run with a task. */
export function cannotDo(task: string): string {
  const what = task === '' ? 'I found no task here' : `I couldn't do this task: "${short(task, TASK_MAX)}"`
  return `${what}. I'm the offline stand-in, a few fixed rules and not a language model. Connect a real model with \`/model\` and ask again.`
}

export function short(text: string, max: number): string {
  return cutText(text.replaceAll(/\s+/g, ' ').trim(), max)
}
