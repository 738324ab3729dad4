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
  const [options, setOptions] = useState({ background: true, ping: true, knows: true })
  const id = freeId(name, jobs)
  const cron = cronOf(when)
  const file = `routines/${id}.md`
  const text = textOf({ id, name, cron: cron ?? when, task, ...options })
  const { checked, isCurrent } = useCheck(file, text)
  const isWhole = name.trim() !== '' && cron !== undefined && task.trim() !== ''
  const set = (change: Partial<typeof options>): void => setOptions({ ...options, ...change })
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
        <label>
          When
          <input
            value={when}
            placeholder="weekdays at 8:30, or a cron: 30 8 * * 1-5"
            list="whens"
            aria-describedby="when-read"
            onChange={({ target }) => setWhen(target.value)}
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
            <>
              <p>
                <code>{cron}</code> {cronWords(cron)}
              </p>
              {isWhole && isCurrent && <Preview checked={checked} />}
            </>
          )}
        </div>
        <label>
          What to do
          <textarea
            value={task}
            rows={4}
            placeholder="Give a morning brief: appointments, weather, what is due today. Five lines at most."
            onChange={({ target }) => setTask(target.value)}
          />
        </label>
        <fieldset>
          <legend className="visually-hidden">Options</legend>
          <Option checked={options.background} set={(background) => set({ background })}>
            Runs in the background <small>otherwise in the conversation, where you see its answer</small>
          </Option>
          <Option checked={options.ping} set={(ping) => set({ ping })}>
            May ping you <small>within the budget</small>
          </Option>
          <Option checked={options.knows} set={(knows) => set({ knows })}>
            Knows the conversation <small>otherwise it begins with nothing, which costs less</small>
          </Option>
        </fieldset>
      </form>
      {isWhole && (
        <SaveBar
          file={file}
          before={null}
          after={text}
          isGood={isCurrent && checked?.problem === null}
          close={() =>
            go(jobs.some((job) => job.id === id) ? '/background/jobs' : jobPath({ kind: 'routine', id }))
          }
        />
      )}
    </article>
  )
}

interface OptionProps {
  readonly checked: boolean
  readonly set: (checked: boolean) => void
  readonly children: React.ReactNode
}

function Option({ checked, set, children }: OptionProps) {
  return (
    <label className={style.option}>
      <input type="checkbox" checked={checked} onChange={({ target }) => set(target.checked)} />
      <span>{children}</span>
    </label>
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

interface Routine {
  readonly id: string
  readonly name: string
  readonly cron: string
  readonly task: string
  readonly background: boolean
  readonly ping: boolean
  readonly knows: boolean
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
