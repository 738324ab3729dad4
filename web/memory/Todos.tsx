import { useMutation } from '@tanstack/react-query'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { post, type ApiError } from '../api/client.ts'
import { now } from '../api/now.ts'
import { queries, useRead } from '../api/query.ts'
import { Button } from '../ui/button.tsx'
import { Card, CardHead, ChipButton, Shown } from '../ui/surface.tsx'
import { clockText, dayText } from '../ui/time.tsx'
import { toast } from '../ui/toast.ts'
import style from './memory.module.css'

interface Todo {
  readonly number: number
  readonly isDone: boolean
  readonly depth: number
  readonly text: string
  readonly due: string | null
}

/** What somebody wants of the list. */
interface Wish {
  readonly action: 'add' | 'done' | 'reopen' | 'update' | 'delete'
  readonly todo?: Todo
  readonly text?: string
  readonly due?: string
}

type Act = (wish: Wish, done?: () => void) => void

function useTodoAct(): { readonly act: Act; readonly isBusy: boolean } {
  const acting = useMutation<{ said: string }, ApiError, Wish>({
    // The number alone could mean another one by now: the server compares the text.
    mutationFn: ({ todo, ...wish }) =>
      post('/api/todos', {
        ...wish,
        ...(todo && {
          item: todo.number,
          was: todo.due === null ? todo.text : `${todo.text} (due ${todo.due})`,
        }),
      }),
    onError: ({ message }) => toast(message, 'bad'),
    onSettled: () => queries.invalidateQueries({ queryKey: ['/api/todos'] }),
  })
  return {
    act: (wish, done) => acting.mutate(wish, done && { onSuccess: done }),
    isBusy: acting.isPending,
  }
}

/** todo.md: the list that the person and the assistant share. */
export function Todos() {
  const todos = useRead<readonly Todo[]>(
    '/api/todos',
    { which: 'all' },
    { on: ['turn-ended', 'command-run'] },
  )
  const [isAll, setAll] = useState(false)
  const { act } = useTodoAct()
  const all = todos.data ?? []
  const done = all.filter(({ isDone }) => isDone).length
  return (
    <Card className={style.todos}>
      <CardHead title="To-dos">
        {done > 0 && (
          <ChipButton pressed={isAll} onClick={() => setAll(!isAll)}>
            {done} done
          </ChipButton>
        )}
      </CardHead>
      <Shown of={todos}>
        {(items) => (
          <>
            <ul className={style.todoList}>
              {items
                .filter(({ isDone }) => isAll || !isDone)
                .map((todo) => (
                  <TodoRow key={`${todo.number} ${todo.text} ${todo.due}`} todo={todo} act={act} />
                ))}
            </ul>
            {items.every(({ isDone }) => isDone) && !isAll && (
              <p className={style.teach}>
                {items.length === 0
                  ? 'Nothing to do. Add something here, or tell the assistant to put it on your list.'
                  : 'Everything is done.'}
              </p>
            )}
            <AddTodo act={act} />
          </>
        )}
      </Shown>
    </Card>
  )
}

function TodoRow({ todo, act }: { readonly todo: Todo; readonly act: Act }) {
  const [isEdited, setEdited] = useState(false)
  const { isDone, depth, text, due } = todo
  if (isEdited)
    return (
      <li>
        <TodoForm
          text={text}
          due={due ?? ''}
          submit={(given) => {
            const changed = {
              ...(given.text !== text && { text: given.text }),
              ...(given.due !== (due ?? '') && { due: given.due }),
            }
            if (Object.keys(changed).length === 0) setEdited(false)
            else act({ action: 'update', todo, ...changed }, () => setEdited(false))
          }}
          cancel={() => setEdited(false)}
          words="Save"
        />
      </li>
    )
  return (
    <li data-done={isDone} style={{ marginInlineStart: `${depth * 20}px` }}>
      <label>
        <input
          type="checkbox"
          checked={isDone}
          onChange={() => act({ action: isDone ? 'reopen' : 'done', todo })}
        />
        <span>{text}</span>
      </label>
      {due !== null && <Due due={due} isDone={isDone} />}
      <span className={style.tools}>
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
function Due({ due, isDone }: { readonly due: string; readonly isDone: boolean }) {
  const [day = '', clock] = due.split(' ')
  const at = new Date(`${day}T${clock ?? '23:59'}`)
  if (Number.isNaN(at.getTime())) return <small>{due}</small>
  const isLate = !isDone && at.getTime() < now()
  const words =
    clock === undefined ? dayText(at.getTime()) : `${dayText(at.getTime())} ${clockText(at.getTime())}`
  return (
    <small data-late={isLate} title={due}>
      {isLate ? `was due ${words}` : words}
    </small>
  )
}

function AddTodo({ act }: { readonly act: Act }) {
  const [count, setCount] = useState(0)
  return (
    <TodoForm
      key={count}
      text=""
      due=""
      submit={({ text, due }) =>
        act({ action: 'add', text, ...(due !== '' && { due }) }, () => setCount(count + 1))
      }
      words="Add"
    />
  )
}

interface FormProps {
  readonly text: string
  readonly due: string
  readonly submit: (given: { readonly text: string; readonly due: string }) => void
  readonly cancel?: () => void
  readonly words: string
}

function TodoForm({ text: before, due: dueBefore, submit, cancel, words }: FormProps) {
  const [text, setText] = useState(before)
  const [due, setDue] = useState(dueBefore)
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (text.trim() !== '') submit({ text: text.trim(), due: due.trim() })
  }
  return (
    <form className={style.todoForm} onSubmit={send}>
      <input
        aria-label="To-do"
        placeholder="Something to do"
        value={text}
        onChange={({ target }) => setText(target.value)}
        autoFocus={cancel !== undefined}
      />
      <input
        aria-label="Due"
        placeholder="due, as Friday 9:00"
        value={due}
        onChange={({ target }) => setDue(target.value)}
      />
      <Button type="submit" small disabled={text.trim() === ''}>
        {words === 'Add' && <Plus />}
        {words}
      </Button>
      {cancel && (
        <Button look="bare" small onClick={cancel}>
          Cancel
        </Button>
      )}
    </form>
  )
}
