import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { post, type ApiError } from '../api/client.ts'
import { queries } from '../api/query.ts'
import { Button } from '../ui/button.tsx'
import { Diff, linesBetween } from '../ui/diff.tsx'
import { Problem } from '../ui/surface.tsx'
import { agoText, Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.ts'
import style from './background.module.css'

interface Checked {
  readonly problem: { readonly line: number; readonly reason: string } | null
  readonly warnings: readonly string[]
  readonly times: readonly string[]
}

/** What a job file would do if it were saved. */
export function useCheck(file: string, text: string) {
  const asked = useSettled(text)
  const { data, error } = useQuery<Checked, ApiError>({
    queryKey: ['/api/job-file/check', file, asked],
    queryFn: () => post('/api/job-file/check', { file, text: asked }),
    placeholderData: (before) => before,
  })
  return { checked: data, error, isCurrent: asked === text }
}

const SETTLED_MS = 200

function useSettled(text: string): string {
  const [settled, settle] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => settle(text), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

export async function saveFile(edit: {
  file: string
  before: string | null
  after: string | null
}): Promise<void> {
  await post('/api/job-file', edit)
  toast(edit.after === null ? `${edit.file} is deleted.` : `${edit.file} is saved.`)
  await queries.invalidateQueries()
}

interface EditorProps {
  readonly file: string
  /** The file as it is; null: there is none. */
  readonly before: string | null
  readonly close: () => void
}

/** The text of a job file, what it would do, and the difference that saving makes. */
export function FileEditor({ file, before, close }: EditorProps) {
  const [text, setText] = useState(before ?? '')
  const { checked, error, isCurrent } = useCheck(file, text)
  return (
    <div className={style.editor}>
      <Lines
        text={text}
        wrong={isCurrent ? checked?.problem?.line : undefined}
        change={setText}
        label={file}
      />
      {error !== null && <Problem error={error} />}
      <Preview checked={checked} />
      <SaveBar
        file={file}
        before={before}
        after={text}
        isGood={isCurrent && checked?.problem === null}
        saved={close}
        cancel={close}
      />
    </div>
  )
}

interface LinesProps {
  readonly text: string
  /** The line with a mistake. */
  readonly wrong: number | undefined
  readonly change: (text: string) => void
  readonly label: string
}

function Lines({ text, wrong, change, label }: LinesProps) {
  const count = text.split('\n').length
  return (
    <div className={style.lines}>
      <ol aria-hidden="true">
        {Array.from({ length: count }, (_, index) => (
          <li key={index} data-wrong={wrong === index + 1}>
            {index + 1}
          </li>
        ))}
      </ol>
      <textarea
        aria-label={label}
        aria-invalid={wrong !== undefined}
        value={text}
        rows={Math.max(8, count)}
        wrap="off"
        spellCheck={false}
        onChange={({ target }) => change(target.value)}
      />
    </div>
  )
}

/** The next times, or what is wrong. */
export function Preview({ checked }: { readonly checked: Checked | undefined }) {
  if (checked === undefined) return null
  const { problem, warnings, times } = checked
  if (problem !== null)
    return (
      <p className={style.wrong} role="status">
        Line {problem.line}: {problem.reason}
      </p>
    )
  return (
    <div role="status">
      {warnings.map((warning) => (
        <p key={warning} className={style.warn}>
          {warning}
        </p>
      ))}
      {times.length > 0 && (
        <ol className={style.times} aria-label="Next times">
          {times.map((at, index) => (
            <li key={at}>
              <Time at={at} as="both" /> {index === 0 && <small className={style.dim}>{agoText(at)}</small>}
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}

interface SaveProps {
  readonly file: string
  readonly before: string | null
  readonly after: string
  readonly isGood: boolean
  readonly saved: () => void
  readonly cancel: () => void
}

/** Shows what saving changes, and saves. */
export function SaveBar({ file, before, after, isGood, saved, cancel }: SaveProps) {
  const [problem, setProblem] = useState<unknown>()
  const [isSaving, setSaving] = useState(false)
  const isChanged = after !== (before ?? '')
  const save = async (): Promise<void> => {
    setSaving(true)
    try {
      await saveFile({ file, before, after })
      saved()
    } catch (error) {
      setProblem(error)
    }
    setSaving(false)
  }
  return (
    <>
      {isChanged && (
        <section className={style.change} aria-label={`Changes of ${file}`}>
          <h3>{before === null ? `New file ${file}` : `Changes of ${file}`}</h3>
          <Diff lines={linesBetween(before ?? '', after)} />
        </section>
      )}
      {problem !== undefined && <Problem error={problem} />}
      <div className={style.buttons}>
        <Button look="main" disabled={!isChanged || !isGood || isSaving} onClick={() => void save()}>
          Save
        </Button>
        <Button onClick={cancel}>Cancel</Button>
      </div>
    </>
  )
}
