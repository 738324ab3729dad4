import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState, type SubmitEvent } from 'react'
import type { todosView } from '../../src/memory/todo-file.ts'
import { useAct } from '../api/act.ts'
import { post } from '../api/client.ts'
import { instantOf } from '../api/zone.ts'
import { now } from '../api/now.ts'
import { useRead } from '../api/query.ts'
import { Button } from '../ui/button.tsx'
import { Card, CardHead, ChipButton, Shown } from '../ui/surface.tsx'
import { clockText, dayText } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import style from './memory.module.css'

type Todo = ReturnType<typeof todosView>[number]

/** The wish of somebody who looks at the list. */
interface Wish {
  readonly action: 'add' | 'done' | 'reopen' | 'update' | 'delete'
  readonly todo?: Todo
  readonly text?: string
  readonly due?: string
}

function useTodoAct() {
  const { mutate } = useAct(({ todo, ...wish }: Wish) => {
    // The number alone could mean another one by now: the server compares the text.
    const was = todo && (todo.due === null ? todo.text : `${todo.text} (due ${todo.due})`)
    return post('/api/todos', { ...wish, ...(todo && { item: todo.number, was }) })
  })
  return (wish: Wish, done?: () => void): void => mutate(wish, done && { onSuccess: done })
}

const on = ['turn-ended', 'command-run']

/** todo.md: the list that the person and the assistant share. */
export function Todos() {
  const todos = useRead<readonly Todo[]>('/api/todos', { which: 'all' }, { on })
  const [isAll, setAll] = useState(false)
  const act = useTodoAct()
  const done = todos.data?.filter(({ isDone }) => isDone).length ?? 0
  return (
    <Card>
      <CardHead title="To-dos">
        {done > 0 && (
          <ChipButton pressed={isAll} onClick={() => setAll(!isAll)}>
            {done} done
          </ChipButton>
        )}
      </CardHead>
      <Shown of={todos}>
        {(items) => (
          <ul className={ui.rows}>
            {items
              .filter(({ isDone }) => isAll || !isDone)
              .map((todo) => (
                <TodoRow key={`${todo.number} ${todo.text} ${todo.due}`} todo={todo} />
              ))}
            {items.length === done && !isAll && (
              <li className={`${ui.inside} ${ui.note}`}>
                {done === 0
                  ? 'Nothing to do. Add something here, or ask Mainstem to put it on your list.'
                  : 'Everything is done.'}
              </li>
            )}
            <li>
              <TodoForm submit={({ text, due }, clear) => act({ action: 'add', text, due }, clear)} />
            </li>
          </ul>
        )}
      </Shown>
    </Card>
  )
}

function TodoRow({ todo }: { todo: Todo }) {
  const act = useTodoAct()
  const [isEdited, setEdited] = useState(false)
  const { isDone, depth, text, due } = todo
  const end = (): void => setEdited(false)
  if (isEdited)
    return (
      <li>
        <TodoForm
          todo={todo}
          cancel={end}
          submit={(given) =>
            act(
              {
                action: 'update',
                todo,
                text: given.text,
                ...(given.due !== (due ?? '') && { due: given.due || 'none' }),
              },
              end,
            )
          }
        />
      </li>
    )
  return (
    <li
      className={`${ui.row} ${style.todo}`}
      data-done={isDone}
      style={{ marginInlineStart: `${depth * 20}px` }}
    >
      <label>
        <input
          type="checkbox"
          checked={isDone}
          onChange={() => act({ action: isDone ? 'reopen' : 'done', todo })}
        />
        <span>{text}</span>
      </label>
      {due !== null && <Due due={due} isDone={isDone} />}
      <span>
        <Button look="bare" small aria-label={`Edit ${text}`} onClick={() => setEdited(true)}>
          <Pencil />
        </Button>
        <Button
          look="bare"
          small
          aria-label={`Delete ${text}`}
          onClick={() => act({ action: 'delete', todo })}
        >
          <Trash2 />
        </Button>
      </span>
    </li>
  )
}

/** `2026-12-01`, or with a time of day; a whole day is due until its end. */
function Due({ due, isDone }: { due: string; isDone: boolean }) {
  const [day = '', clock] = due.split(' ')
  const at = instantOf(Date.parse(`${day}T${clock ?? '23:59'}Z`))
  const isLate = !isDone && at < now()
  const words = clock === undefined ? dayText(at) : `${dayText(at)} ${clockText(at)}`
  return (
    <small data-tone={isLate ? 'warn' : 'dim'} title={due}>
      {isLate ? `was due ${words}` : words}
    </small>
  )
}

interface FormProps {
  /** Left out: for a new one. */
  readonly todo?: Todo
  readonly cancel?: () => void
  readonly submit: (given: { readonly text: string; readonly due: string }, clear: () => void) => void
}

function TodoForm({ todo, cancel, submit }: FormProps) {
  const send = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = event.currentTarget
    const [text = '', due = ''] = [...form.querySelectorAll('input')].map(({ value }) => value.trim())
    if (text !== '') submit({ text, due }, () => form.reset())
  }
  return (
    <form
      className={`${ui.row} ${style.todoForm}`}
      onSubmit={send}
      onKeyDown={({ key }) => key === 'Escape' && cancel?.()}
    >
      <input
        aria-label="To-do"
        placeholder="Something to do"
        defaultValue={todo?.text}
        required
        autoFocus={todo !== undefined}
      />
      <input name="due" aria-label="Due" placeholder="due: Friday 9:00" defaultValue={todo?.due ?? ''} />
      <Button type="submit" small>
        {todo === undefined && <Plus />}
        {todo === undefined ? 'Add' : 'Save'}
      </Button>
      {cancel && (
        <Button look="bare" small onClick={cancel}>
          Cancel
        </Button>
      )}
    </form>
  )
}
