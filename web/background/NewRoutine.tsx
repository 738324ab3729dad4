import { useState } from 'react'
import { useLocation } from 'wouter'
import style from './background.module.css'
import { cronOf, cronWords } from './cron-words.ts'
import { jobPath, type Job } from './data.ts'
import { Preview, SaveBar, useCheck } from './FileEditor.tsx'

const WHENS = [
  'weekdays at 8:30',
  'every day at 18:00',
  'every monday at 9',
  'every 2 hours',
  'on the 1st at 9',
]

/** A form that becomes a file. */
export function NewRoutine({ jobs }: { readonly jobs: readonly Job[] }) {
  const [, go] = useLocation()
  const [name, setName] = useState('')
  const [when, setWhen] = useState('')
  const [task, setTask] = useState('')
  const [options, setOptions] = useState<Chosen>({ background: true, ping: true, knows: true })
  const id = freeId(name, jobs)
  const cron = cronOf(when)
  const file = `routines/${id}.md`
  const text = textOf({ id, name, cron: cron ?? when, task, ...options })
  const { checked, isCurrent } = useCheck(file, text)
  const isWhole = name.trim() !== '' && cron !== undefined && task.trim() !== ''
  return (
    <article>
      <header className={style.title}>
        <h2>New routine</h2>
      </header>
      <form className={style.form} onSubmit={(event) => event.preventDefault()}>
        <label>
          Name
          <input
            value={name}
            placeholder="Morning brief"
            maxLength={60}
            autoFocus
            onChange={({ target }) => setName(target.value)}
          />
        </label>
        <When when={when} set={setWhen}>
          {isWhole && isCurrent && <Preview checked={checked} />}
        </When>
        <label>
          What to do
          <textarea
            value={task}
            rows={4}
            placeholder="Give a morning brief: appointments, weather, what is due today. Five lines at most."
            onChange={({ target }) => setTask(target.value)}
          />
        </label>
        <Options options={options} set={setOptions} />
      </form>
      {isWhole && (
        <SaveBar
          file={file}
          before={null}
          after={text}
          isGood={isCurrent && checked?.problem === null}
          saved={() => go(jobPath({ kind: 'routine', id }))}
          cancel={() => go('/background/jobs')}
        />
      )}
    </article>
  )
}

interface WhenProps {
  readonly when: string
  readonly set: (when: string) => void
  /** The next times. */
  readonly children: React.ReactNode
}

function When({ when, set, children }: WhenProps) {
  const cron = cronOf(when)
  return (
    <>
      <label>
        When
        <input
          value={when}
          placeholder="weekdays at 8:30, or a cron: 30 8 * * 1-5"
          list="whens"
          aria-describedby="when-read"
          onChange={({ target }) => set(target.value)}
        />
        <datalist id="whens">
          {WHENS.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </label>
      <div id="when-read" className={style.read}>
        {when.trim() === '' ? (
          <p className={style.dim}>In words, such as “{WHENS[2]}”, or the five fields of a cron.</p>
        ) : cron === undefined ? (
          <p className={style.wrong}>
            That is not a time that I can read. Try “{WHENS[0]}” or “{WHENS[3]}”.
          </p>
        ) : (
          <p>
            <code>{cron}</code> {cronWords(cron)}
          </p>
        )}
        {children}
      </div>
    </>
  )
}

interface Chosen {
  readonly background: boolean
  readonly ping: boolean
  readonly knows: boolean
}

const OPTIONS: readonly (readonly [keyof Chosen, string, string])[] = [
  ['background', 'Runs in the background', 'otherwise in the conversation, where you see its answer'],
  ['ping', 'May ping you', 'within the budget'],
  ['knows', 'Knows the conversation', 'otherwise it begins with nothing, which costs less'],
]

function Options({ options, set }: { readonly options: Chosen; readonly set: (options: Chosen) => void }) {
  return (
    <fieldset>
      <legend className="visually-hidden">Options</legend>
      {OPTIONS.map(([key, words, more]) => (
        <label key={key} className={style.option}>
          <input
            type="checkbox"
            checked={options[key]}
            onChange={({ target }) => set({ ...options, [key]: target.checked })}
          />
          <span>
            {words} <small>{more}</small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

function freeId(name: string, jobs: readonly Job[]): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z\d]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  const id = plain === '' ? 'routine' : plain
  const taken = new Set(jobs.flatMap((job) => (job.kind === 'routine' ? job.id.toLowerCase() : [])))
  for (let count = 1; ; count++) {
    const one = count === 1 ? id : `${id}-${count}`
    if (!taken.has(one)) return one
  }
}

interface Routine extends Chosen {
  readonly id: string
  readonly name: string
  readonly cron: string
  readonly task: string
}

/** Values as JSON, which is YAML whatever characters they have. */
function textOf({ id, name, cron, task, background, ping, knows }: Routine): string {
  const lines = [
    ...(name.trim().toLowerCase() === id ? [] : [`description: ${JSON.stringify(name.trim())}`]),
    `cron: ${JSON.stringify(cron)}`,
    ...(background ? ['background: true'] : []),
    ...(ping ? [] : ['allow-ping: false']),
    ...(knows ? [] : ['isolated: true']),
  ]
  return `---\n${lines.join('\n')}\n---\n${task.trim()}\n`
}
