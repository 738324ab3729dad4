import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useCommand } from '../api/act.ts'
import { Button } from '../ui/button.tsx'
import { Menu, MenuItem } from '../ui/Menu.tsx'
import { counted } from '../ui/numbers.ts'
import { Chip, Shown } from '../ui/surface.tsx'
import { Time } from '../ui/time.tsx'
import style from './background.module.css'
import type { JobDetails } from '../../src/view/jobs.ts'
import { useJob, type Job } from './data.ts'
import { FileEditor, Preview, useCheck } from './FileEditor.tsx'
import { DeleteFile, JobFile, Sure } from './FilePanel.tsx'
import { outcomeWords, scheduleWords } from './job-words.ts'

/** Everything about one job. */
export function JobPanel(name: Pick<Job, 'kind' | 'id'>) {
  const [isEdited, setEdited] = useState(false)
  return (
    <Shown of={useJob(name)}>
      {(job) => (
        <article>
          <header className={style.title}>
            <h2>
              {job.id} <small>{job.kind}</small>
            </h2>
            <Acts job={job} edit={() => setEdited(true)} />
          </header>
          {isEdited ? (
            <JobFile file={job.file}>
              {(text) => <FileEditor file={job.file} before={text} close={() => setEdited(false)} />}
            </JobFile>
          ) : (
            <Facts job={job} />
          )}
        </article>
      )}
    </Shown>
  )
}

const PAUSES = [
  ['For an hour', ' 1h'],
  ['For a day', ' 1d'],
  ['Until I resume it', ''],
] as const

function Acts({ job, edit }: { readonly job: JobDetails; readonly edit: () => void }) {
  const { kind, id, file } = job
  const [, go] = useLocation()
  const { mutate, isPending } = useCommand()
  const order = (text: string, onSuccess?: () => void): void => mutate({ text }, onSuccess && { onSuccess })
  const gone = (): void => go('/background/jobs')
  return (
    <div className={style.acts}>
      <Button small disabled={isPending} onClick={() => order(`/run ${file}`)}>
        Run now
      </Button>
      {job.paused !== false ? (
        <Button small disabled={isPending} onClick={() => order(`/resume ${kind} ${id}`)}>
          Resume
        </Button>
      ) : (
        <Menu align="end" trigger={<Button small>Pause</Button>}>
          {PAUSES.map(([words, time]) => (
            <MenuItem key={words} onSelect={() => order(`/pause ${kind} ${id}${time}`)}>
              {words}
            </MenuItem>
          ))}
        </Menu>
      )}
      <Button small onClick={edit}>
        Edit
      </Button>
      {kind === 'webhook' ? (
        <JobFile file={file}>{(text) => <DeleteFile file={file} text={text} gone={gone} />}</JobFile>
      ) : (
        <Sure words="Delete" act={() => order(`/${kind}s cancel ${id}`, gone)} />
      )}
    </div>
  )
}

function Facts({ job }: { readonly job: JobDetails }) {
  const { description, task, warnings, allPaused, paused, last } = job
  return (
    <>
      {description !== '' && plain(description) !== plain(job.id) && <p>{description}</p>}
      <p className={style.how}>
        <Chip>{scheduleWords(job)}</Chip>
        <Chip>{job.background ? 'in the background' : 'in main'}</Chip>
        <Chip>{job.definition.allowPing ? 'may ping you' : 'silent'}</Chip>
        {job.persistent && <Chip>continues its session</Chip>}
        {job.check !== null && <Chip>check {job.check.join(' of ')}</Chip>}
        {job.for !== null && <Chip>for {job.for}</Chip>}
      </p>
      {(paused !== false || allPaused !== false) && (
        <Paused until={paused === false ? allPaused : paused} isAll={paused === false} />
      )}
      {warnings.map((warning) => (
        <p key={warning} className={style.warn}>
          {warning}
        </p>
      ))}
      <blockquote className={style.task}>{task}</blockquote>
      <div className={style.facts}>
        {job.kind !== 'webhook' && (
          <section>
            <h3>Next</h3>
            <JobFile file={job.file}>{(text) => <NextTimes file={job.file} text={text} />}</JobFile>
          </section>
        )}
        {job.requests !== null && <Requests id={job.id} requests={job.requests} />}
        <Pings job={job} />
        <LastTimes last={last} />
      </div>
      <p className={style.faint}>
        <code>workspace/{job.file}</code>
      </p>
    </>
  )
}

interface RequestsProps {
  readonly id: string
  readonly requests: NonNullable<JobDetails['requests']>
}

function Requests({ id, requests: { secret, waiting } }: RequestsProps) {
  return (
    <section>
      <h3>Requests</h3>
      <p>
        {secret === null ? (
          <>
            It takes none: add a line <code>secret-env: NAME</code> with the variable that has its secret.
          </>
        ) : (
          <>
            <code>POST /hook/{id}</code> with the secret in <code>{secret}</code>
          </>
        )}
      </p>
      {waiting > 0 && <p>{counted(waiting, 'request')} waiting</p>}
    </section>
  )
}

function Pings({ job: { kind, id, pings } }: { readonly job: JobDetails }) {
  return (
    <section>
      <h3>Pings</h3>
      {pings === null ? (
        <p className={style.dim}>It has not pinged you.</p>
      ) : (
        <p>
          <Link href={`/background?who=${encodeURIComponent(`${kind} ${id}`)}`}>
            {counted(pings.arrived, 'ping')} arrived
          </Link>
          , {pings.answered} answered
          {pings.less > 0 && `, “less of this” ${pings.less === 1 ? 'once' : `${pings.less} times`}`}
        </p>
      )}
      {pings !== null && pings.less > 0 && <More id={id} />}
    </section>
  )
}

function LastTimes({ last }: Pick<JobDetails, 'last'>) {
  return (
    <section>
      <h3>Last times</h3>
      {last.length === 0 && <p className={style.dim}>It was not due yet.</p>}
      <ul>
        {last.map(({ due, at, outcome, run }) => (
          <li key={at + due}>
            <Time at={due} as="both" />{' '}
            {run === null ? (
              <span className={style.dim}>{outcomeWords(outcome)}</span>
            ) : (
              <Link href={`/chat/${run}`} title="Open the transcript">
                {outcomeWords(outcome)}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** `Weekly review` says no more than `weekly-review`. */
function plain(words: string): string {
  return words.toLowerCase().replaceAll(/[\s_-]+/g, '')
}

function NextTimes({ file, text }: { readonly file: string; readonly text: string }) {
  const { checked } = useCheck(file, text)
  return <Preview checked={checked} />
}

function Paused({ until, isAll }: { readonly until: true | string | false; readonly isAll: boolean }) {
  return (
    <p className={style.warn}>
      {isAll ? 'Paused with all jobs' : 'Paused'}{' '}
      {typeof until === 'string' ? (
        <>
          until <Time at={until} as="both" />
        </>
      ) : (
        'until you resume it'
      )}
    </p>
  )
}

function More({ id }: { readonly id: string }) {
  const { mutate } = useCommand()
  return (
    <Button small onClick={() => mutate({ text: `/ping-budget more ${id}` })}>
      Allow more again
    </Button>
  )
}
