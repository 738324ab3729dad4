import { Link } from 'wouter'
import type { JobsView } from '../../src/view/jobs.ts'
import { CopyButton } from '../text/Code.tsx'
import { Chip, Empty, Shown } from '../ui/surface.tsx'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import style from './background.module.css'
import { jobPath, JOBS_PATH, outcomeWords, scheduleWords, useJobs, type Job } from './data.ts'
import { FilePanel, JobPanel } from './JobPanel.tsx'
import { NewJob } from './NewJob.tsx'

const EXAMPLE = `---
cron: 30 8 * * 1-5
background: true
---
Look at my calendar and the weather. Ping me only if I should leave earlier than usual.
`

const NO_JOBS = (
  <Empty title="No jobs yet">
    <p>
      A routine recurs, a reminder fires once, a webhook runs when somebody calls it. Say it in the chat
      (“remind me tomorrow at 9 to call the dentist”), press <Link href={`${JOBS_PATH}/new`}>New job</Link>,
      or save this as <code>workspace/routines/commute.md</code>:
    </p>
    <pre className={`${ui.quote} ${style.example}`}>{EXAMPLE}</pre>
    <CopyButton text={EXAMPLE} />
  </Empty>
)

/**
 * Routines, reminders and webhooks; beside them the one that is open. `what`: `routine`, `reminder`, `webhook`, `new` or
 * `file`.
 */
export function Jobs({ what, id = '' }: { what: string | undefined; id: string | undefined }) {
  return (
    <Shown of={useJobs()}>
      {(view) =>
        what === undefined && view.jobs.length + view.problems.length + view.waiting.length === 0 ? (
          NO_JOBS
        ) : (
          <div className={style.jobs} data-open={what !== undefined}>
            <JobList view={view} open={`${what} ${id}`} />
            <div className={style.panel}>
              {what === undefined ? (
                <p data-tone="faint">Choose a job to see its times and runs.</p>
              ) : (
                <Link className={style.back} href={JOBS_PATH}>
                  ← All jobs
                </Link>
              )}
              {what === 'new' && <NewJob jobs={view.jobs} />}
              {what === 'file' && <FilePanel key={id} file={id} />}
              {(what === 'routine' || what === 'reminder' || what === 'webhook') && (
                <JobPanel key={`${what} ${id}`} kind={what} id={id} />
              )}
            </div>
          </div>
        )
      }
    </Shown>
  )
}

function JobList({ view: { jobs, problems, waiting }, open }: { view: JobsView; open: string }) {
  const look = `${ui.pick} ${style.job}`
  return (
    <ul className={`${ui.rows} ${style.list}`}>
      {problems.map(({ file, line, reason }) => (
        <li key={file}>
          <Link className={look} href={`${JOBS_PATH}/file/${encodeURI(file)}`} data-tone="bad">
            <b>{file}</b>
            <small>
              Not used. Line {line}: {reason}
            </small>
          </Link>
        </li>
      ))}
      {waiting.map(({ path, number }) => (
        <li key={number}>
          <Link className={look} href="/chat">
            <b data-tone="warn">{path}</b>
            <small>Waits for your approval ({number})</small>
          </Link>
        </li>
      ))}
      {jobs.map((job) => (
        <li key={`${job.kind} ${job.id}`}>
          <Link
            className={look}
            href={jobPath(job)}
            aria-current={open === `${job.kind} ${job.id}` ? 'true' : undefined}
          >
            <JobWords job={job} />
          </Link>
        </li>
      ))}
    </ul>
  )
}

function JobWords({ job }: { job: Job }) {
  const { kind, id, next, failures, last } = job
  return (
    <>
      <b className={ui.clip}>{id}</b>
      {job.paused !== false ? (
        <Chip>paused</Chip>
      ) : (
        next !== null && (
          <small className={style.soon}>
            <Time at={next} as="ago" />
          </small>
        )
      )}
      <small>
        {kind} · {scheduleWords(job)}
      </small>
      {failures > 0 ? (
        <small data-tone="bad">
          failed {failures === 1 ? 'the last time' : `${failures} times in a row`}
        </small>
      ) : (
        last[0] !== undefined && (
          <small data-tone="faint">
            <Time at={last[0].due} as="both" />: {outcomeWords(last[0].outcome)}
          </small>
        )
      )}
    </>
  )
}
