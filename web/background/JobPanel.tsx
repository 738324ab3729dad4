import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { JobDetails } from '../../src/view/jobs.ts'
import { useRead } from '../api/query.ts'
import { Button, CommandButton } from '../ui/button.tsx'
import { counted } from '../ui/numbers.ts'
import { Chip, Shown } from '../ui/surface.tsx'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import style from './background.module.css'
import { JOB_EVENTS, JOBS_PATH, outcomeWords, scheduleWords, type JobName } from './data.ts'
import { DeleteFile, FileEditor, JobFile, Preview, useCheck } from './JobFile.tsx'
import { PauseButton, Until } from './Pause.tsx'

/** Everything about one job. */
export function JobPanel({ kind, id }: JobName) {
  const path = `/api/jobs/${kind}/${encodeURIComponent(id)}`
  const read = useRead<JobDetails>(path, {}, { on: [...JOB_EVENTS, 'ping-'] })
  return (
    <Shown of={read}>
      {(job) => <JobFile file={job.file}>{(text) => <JobArticle job={job} text={text} />}</JobFile>}
    </Shown>
  )
}

/** A job file that cannot be used: mend or delete it. */
export function FilePanel({ file }: { file: string }) {
  const [, go] = useLocation()
  return (
    <JobFile file={file}>
      {(text) => (
        <article>
          <header className={ui.row}>
            <h2>{file}</h2>
            <DeleteFile file={file} text={text} />
          </header>
          <p data-tone="dim">Mainstem ignores this file until you fix the error below.</p>
          <FileEditor file={file} before={text} close={() => go(JOBS_PATH)} />
        </article>
      )}
    </JobFile>
  )
}

interface JobText {
  readonly job: JobDetails
  /** Of its file. */
  readonly text: string
}

function JobArticle({ job, text }: JobText) {
  const [isEdited, setEdited] = useState(false)
  const { kind, id, file } = job
  return (
    <article>
      <header className={ui.row}>
        <h2>
          {id} <small>{kind}</small>
        </h2>
        <CommandButton line={`/run ${file}`}>Run now</CommandButton>
        <PauseButton small what={`${kind} ${id}`} isPaused={job.paused !== false} />
        <Button small onClick={() => setEdited(true)}>
          Edit
        </Button>
        <DeleteFile file={file} text={text} />
      </header>
      {isEdited ? (
        <FileEditor file={file} before={text} close={() => setEdited(false)} />
      ) : (
        <Facts job={job} text={text} />
      )}
    </article>
  )
}

function Facts({ job, text }: JobText) {
  const { description, task, warnings, allPaused, paused, requests } = job
  const { checked } = useCheck(job.file, text)
  return (
    <>
      {plain(description) !== plain(job.id) && <p>{description}</p>}
      <p className={ui.row}>
        <Chip>{scheduleWords(job)}</Chip>
        <Chip>{job.background ? 'in the background' : 'in main'}</Chip>
        <Chip>{job.definition.allowPing ? 'may ping you' : 'silent'}</Chip>
        {job.persistent && <Chip>continues its session</Chip>}
        {job.check !== null && <Chip>check {job.check.join(' of ')}</Chip>}
        {job.for !== null && <Chip>for {job.for}</Chip>}
      </p>
      {(paused !== false || allPaused !== false) && (
        <p data-tone="warn">
          {paused === false ? 'Paused with all jobs' : 'Paused'} <Until end={paused || allPaused} />
        </p>
      )}
      {warnings.map((warning) => (
        <p key={warning} data-tone="warn">
          {warning}
        </p>
      ))}
      <blockquote className={ui.quote}>{task}</blockquote>
      <div className={style.facts}>
        {requests === null ? (
          <section>
            <h3 className={ui.caption}>Next</h3>
            <Preview checked={checked} />
          </section>
        ) : (
          <Requests id={job.id} {...requests} />
        )}
        <Pings job={job} />
        <LastTimes last={job.last} />
      </div>
      <code>workspace/{job.file}</code>
    </>
  )
}

/** `Weekly review` says no more than `weekly-review`. */
function plain(words: string): string {
  return words.toLowerCase().replaceAll(/[\s_-]+/g, '')
}

function Requests({ id, secret, waiting }: NonNullable<JobDetails['requests']> & { readonly id: string }) {
  return (
    <section>
      <h3 className={ui.caption}>Requests</h3>
      {secret === null ? (
        <p>
          It takes no requests yet. Add a line <code>secret-env: NAME</code> with the variable that has its
          secret.
        </p>
      ) : (
        <p>
          <code>POST /hook/{id}</code> with the secret in <code>{secret}</code>
        </p>
      )}
      {waiting > 0 && <p>{counted(waiting, 'request')} waiting</p>}
    </section>
  )
}

function Pings({ job: { kind, id, pings } }: { job: JobDetails }) {
  const { arrived, answered, less } = pings ?? { arrived: 0, answered: 0, less: 0 }
  return (
    <section>
      <h3 className={ui.caption}>Pings</h3>
      {arrived === 0 ? (
        <p data-tone="dim">It has not pinged you.</p>
      ) : (
        <p>
          <Link href={`/background?who=${encodeURIComponent(`${kind} ${id}`)}`}>
            {counted(arrived, 'ping')} arrived
          </Link>
          , {answered} answered
          {less > 0 && `, “less of this” ${less === 1 ? 'once' : `${less} times`}`}
        </p>
      )}
      {less > 0 && <CommandButton line={`/ping-budget more ${id}`}>Allow more again</CommandButton>}
    </section>
  )
}

function LastTimes({ last }: Pick<JobDetails, 'last'>) {
  return (
    <section>
      <h3 className={ui.caption}>Last times</h3>
      {last.length === 0 && <p data-tone="dim">It was not due yet.</p>}
      <ul>
        {last.map(({ due, at, outcome, run }) => (
          <li key={at + due}>
            <Time at={due} as="both" />{' '}
            {run === null ? (
              <span data-tone="dim">{outcomeWords(outcome)}</span>
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
