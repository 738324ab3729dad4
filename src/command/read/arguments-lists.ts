import { firstWord, type Reading } from './arguments.ts'

export interface JobShown {
  /** Null: all of them. */
  readonly job: string | null
  /** That one is to be taken away. */
  readonly isCancel?: true
}

const AWAY = /^(?:cancel|delete|remove)$/i

/** Nothing, an id, `cancel ID`. */
export function jobShown(what: 'routine' | 'reminder'): (text: string) => Reading<JobShown> {
  const set = what === 'reminder' ? ' To set one, say it in your own words, without a slash.' : ''
  const misfit = { misfit: `takes the id of one ${what}, or 'cancel' and its id.${set}` }
  return (text) => {
    const [first, rest] = firstWord(text)
    if (rest === '') return AWAY.test(first) ? misfit : { fits: { job: first === '' ? null : first } }
    return AWAY.test(first) && firstWord(rest)[1] === '' ? { fits: { job: rest, isCancel: true } } : misfit
  }
}

export type TodoAsked =
  | { readonly act: 'list'; readonly which: 'open' | 'all' }
  | { readonly act: 'add' | 'done' | 'delete'; readonly words: string }

const TODO_MISFIT =
  'takes nothing, all, add and a text, or done or delete and the number or the words of one.'

/** Nothing, `all`, `add TEXT`, `done ITEM`, `delete ITEM`. */
export function todoArguments(text: string): Reading<{ readonly asked: TodoAsked }> {
  const [first, words] = firstWord(text)
  const verb = first.toLowerCase()
  if (verb === '' || (verb === 'list' && words === ''))
    return { fits: { asked: { act: 'list', which: 'open' } } }
  if (verb === 'all' && words === '') return { fits: { asked: { act: 'list', which: 'all' } } }
  const act = verb === 'remove' ? 'delete' : verb
  if (act !== 'add' && act !== 'done' && act !== 'delete') return { misfit: TODO_MISFIT }
  return words === '' ? { misfit: TODO_MISFIT } : { fits: { asked: { act, words } } }
}
