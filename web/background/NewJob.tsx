import { useState, type FormEvent } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../ui/button.tsx'
import { ChipChoice } from '../ui/choice.tsx'
import ui from '../ui/ui.module.css'
import style from './background.module.css'
import { jobPath, JOBS_PATH, type Job } from './data.ts'
import { Preview, SaveFile, useCheck } from './JobFile.tsx'
import { cronOf, cronWords } from './schedule-words.ts'

const NEW = {
  kind: 'routine' as 'routine' | 'reminder',
  name: '',
  /** Words or a cron of a routine; of a reminder, a time such as `2026-08-01T09:00`. */
  when: '',
  task: '',
  background: true,
  ping: true,
  knows: true,
}

type Given = typeof NEW

/** A form that becomes a file. */
export function NewJob({ jobs }: { jobs: readonly Job[] }) {
  const [, go] = useLocation()
  const [given, setGiven] = useState(NEW)
  const { kind, name, when, task } = given
  const id = freeId(
    name,
    jobs.flatMap((job) => (job.kind === kind ? job.id.toLowerCase() : [])),
  )
  const file = `${kind}s/${id}.md`
  const text = textOf(given, id)
  const { checked, isCurrent } = useCheck(file, text)
  const isRead = kind === 'routine' ? cronOf(when) !== undefined : when !== ''
  const isWhole = name.trim() !== '' && isRead && task.trim() !== ''
  const onChange = ({ target }: FormEvent): void => {
    const field = target as HTMLInputElement
    setGiven({ ...given, [field.name]: field.type === 'checkbox' ? field.checked : field.value })
  }
  return (
    <article className={style.form} onChange={onChange}>
      <h2>New {kind}</h2>
      <ChipChoice
        label="Kind"
        options={KINDS}
        value={kind}
        choose={(to) => setGiven({ ...given, kind: to, when: '', background: to === 'routine' })}
      />
      <Fields given={given} />
      {!isWhole && (
        <div className={ui.row}>
          <Button look="main" disabled>
            Save
          </Button>
          <Button onClick={() => go(JOBS_PATH)}>Cancel</Button>
        </div>
      )}
      {isWhole && (
        <>
          {isCurrent && <Preview checked={checked} />}
          <SaveFile
            file={file}
            before={null}
            after={text}
            isGood={isCurrent && checked?.problem === null}
            saved={() => go(jobPath({ kind, id }))}
            cancel={() => go(JOBS_PATH)}
          />
        </>
      )}
    </article>
  )
}

/** What they are given, the form hears: each has the name of what it is. */
function Fields({ given }: { given: Given }) {
  const { kind, when } = given
  return (
    <>
      <label>
        Name
        <input name="name" maxLength={60} autoFocus />
      </label>
      {kind === 'reminder' ? (
        <label>
          When
          <input name="when" type="datetime-local" />
        </label>
      ) : (
        <RoutineWhen when={when} />
      )}
      <label>
        What to do
        <textarea name="task" rows={4} placeholder={TASKS[kind]} />
      </label>
      <fieldset>
        <legend className="visually-hidden">Options</legend>
        {OPTIONS.map(([key, words, more]) => (
          <label key={key}>
            <input type="checkbox" name={key} checked={given[key]} readOnly /> {words} <small>{more}</small>
          </label>
        ))}
      </fieldset>
    </>
  )
}

const KINDS = [
  ['routine', 'recurring'],
  ['reminder', 'once'],
] as const

const TASKS = {
  routine: 'Give a morning brief: appointments, weather, what is due today. Five lines at most.',
  reminder: 'Remind me to call the dentist, with the number.',
} as const

const OPTIONS = [
  ['background', 'Runs in the background', 'otherwise in the conversation, where you see its answer'],
  ['ping', 'May ping you', 'within the budget'],
  ['knows', 'Knows the conversation', 'otherwise it starts empty, which costs less'],
] as const

const WHENS = [
  'weekdays at 8:30',
  'every day at 18:00',
  'every monday at 9',
  'every 2 hours',
  'on the 1st at 9',
]

function RoutineWhen({ when }: { when: string }) {
  const cron = cronOf(when)
  return (
    <>
      <label>
        When
        <input
          name="when"
          placeholder="weekdays at 8:30, or a cron: 30 8 * * 1-5"
          list="whens"
          aria-describedby="when-read"
        />
        <datalist id="whens">
          {WHENS.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </label>
      <p id="when-read" data-tone={when.trim() === '' ? 'dim' : cron === undefined ? 'bad' : undefined}>
        {when.trim() === '' ? (
          `In words, such as “${WHENS[2]}”, or as a cron line.`
        ) : cron === undefined ? (
          `Could not read this as a schedule. Try “${WHENS[0]}” or “${WHENS[3]}”.`
        ) : (
          <>
            <code>{cron}</code> {cronWords(cron)}
          </>
        )}
      </p>
    </>
  )
}

function freeId(name: string, taken: readonly string[]): string {
  const plain = name.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '')
  const id = plain.match(/[a-z\d]+/g)?.join('-') ?? 'job'
  for (let count = 1; ; count++) {
    const one = count === 1 ? id : `${id}-${count}`
    if (!taken.includes(one)) return one
  }
}

/** Values as JSON, which is YAML whatever characters they have. */
function textOf({ kind, name, when, task, background, ping, knows }: Given, id: string): string {
  const lines = [
    name.trim().toLowerCase() !== id && `description: ${JSON.stringify(name.trim())}`,
    kind === 'routine' ? `cron: ${JSON.stringify(cronOf(when) ?? when)}` : `run-at: ${JSON.stringify(when)}`,
    background && 'background: true',
    !ping && 'allow-ping: false',
    !knows && 'isolated: true',
  ]
  return `---\n${lines.filter(Boolean).join('\n')}\n---\n${task.trim()}\n`
}
