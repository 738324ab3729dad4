import { Link } from 'wouter'
import { Chip, Empty, Shown } from '../ui/surface.tsx'
import { Time } from '../ui/time.tsx'
import { CopyButton } from '../text/Code.tsx'
import style from './background.module.css'
import type { JobsView } from '../../src/view/jobs.ts'
import { jobPath, useJobs, type Job } from './data.ts'
import { FilePanel } from './FilePanel.tsx'
import { outcomeWords, scheduleWords } from './job-words.ts'
import { JobPanel } from './JobPanel.tsx'
import { NewRoutine } from './NewRoutine.tsx'

interface Open {
  /** `routine`, `new` or `file` */
  readonly what: string | undefined
  readonly id: string | undefined
}

/** Routines, reminders and webhooks; beside them the one that is open. */
export function Jobs({ open: { what, id } }: { readonly open: Open }) {
  const isOpen = what !== undefined
  return (
    <Shown of={useJobs()}>
      {(view) =>
        !isOpen && view.jobs.length + view.problems.length + view.waiting.length === 0 ? (
          <NoJobs />
        ) : (
          <div className={style.jobs} data-open={isOpen}>
            <div className={style.list}>
              <JobList view={view} open={`${what} ${id}`} />
            </div>
            <div className={style.panel}>
              {isOpen && (
                <Link className={style.back} href="/background/jobs">
                  ← All jobs
                </Link>
              )}
              {what === 'new' && <NewRoutine jobs={view.jobs} />}
              {what === 'file' && id !== undefined && (
                <FilePanel key={id} file={id} problems={view.problems} />
              )}
              {(what === 'routine' || what === 'reminder' || what === 'webhook') && id !== undefined && (
                <JobPanel key={`${what} ${id}`} kind={what} id={id} />
              )}
              {!isOpen && view.jobs.length > 0 && (
                <p className={style.pick}>Choose a job to see its times and runs.</p>
              )}
            </div>
          </div>
        )
      }
    </Shown>
  )
}

function JobList({
  view: { jobs, problems, waiting },
  open,
}: {
  readonly view: JobsView
  readonly open: string
}) {
  return (
    <ul>
      {problems.map(({ file, line, reason }) => (
        <li key={file}>
          <Link className={style.job} href={`/background/jobs/file/${encodeURI(file)}`} data-tone="bad">
            <b>{file}</b>
            <small>
              Not used. Line {line}: {reason}
            </small>
          </Link>
        </li>
      ))}
      {waiting.map(({ path, number }) => (
        <li key={number}>
          <Link className={style.job} href="/chat" data-tone="warn">
            <b>{path}</b>
            <small>Waits for your approval ({number})</small>
          </Link>
        </li>
      ))}
      {jobs.map((job) => (
        <li key={`${job.kind} ${job.id}`}>
          <JobEntry job={job} isOpen={open === `${job.kind} ${job.id}`} />
        </li>
      ))}
    </ul>
  )
}

function JobEntry({ job, isOpen }: { readonly job: Job; readonly isOpen: boolean }) {
  const { kind, id, next, failures, last } = job
  return (
    <Link className={style.job} href={jobPath(job)} aria-current={isOpen ? 'true' : undefined}>
      <b>{id}</b>
      <span className={style.next}>
        {job.paused !== false ? (
          <Chip>paused</Chip>
        ) : next === null ? (
          <small>{kind === 'webhook' ? 'when called' : 'by hand'}</small>
        ) : (
          <Time at={next} as="ago" />
        )}
      </span>
      <small>
        {kind} · {scheduleWords(job)}
      </small>
      {failures > 0 ? (
        <small className={style.bad}>
          failed {failures === 1 ? 'the last time' : `${failures} times in a row`}
        </small>
      ) : (
        last[0] !== undefined && (
          <small className={style.outcome}>
            <Time at={last[0].due} as="both" />: {outcomeWords(last[0].outcome)}
          </small>
        )
      )}
    </Link>
  )
}

const EXAMPLE = `---
cron: 30 8 * * 1-5
background: true
---
Look at my calendar and the weather. Ping me only if I should leave earlier than usual.
`

function NoJobs() {
  return (
    <Empty title="No jobs yet">
      <p>
        A routine runs again and again, a reminder once, a webhook when somebody calls it. Say it in the chat
        (“remind me tomorrow at 9 to call the dentist”), press{' '}
        <Link href="/background/jobs/new">New routine</Link>, or save this as{' '}
        <code>workspace/routines/commute.md</code>:
      </p>
      <div className={style.example}>
        <pre>{EXAMPLE}</pre>
        <CopyButton text={EXAMPLE} />
      </div>
    </Empty>
  )
}
