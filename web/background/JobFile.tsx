import { useMutation, useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { post, type ApiError } from '../api/client.ts'
import { queries, useRead } from '../api/query.ts'
import { ConfirmButton } from '../ui/button.tsx'
import { Saving } from '../ui/diff.tsx'
import { Problem, Shown } from '../ui/surface.tsx'
import { agoText, Time, useSettled } from '../ui/time.tsx'
import { toast } from '../ui/toast.ts'
import ui from '../ui/ui.module.css'
import style from './background.module.css'
import { JOBS_PATH } from './data.ts'

/** The text of a job file. */
export function JobFile({ file, children }: { file: string; children: (text: string) => ReactNode }) {
  return (
    <Shown of={useRead<{ text: string }>('/api/job-file', { file })}>{({ text }) => children(text)}</Shown>
  )
}

interface Checked {
  readonly problem: { readonly line: number; readonly reason: string } | null
  readonly warnings: readonly string[]
  readonly times: readonly string[]
}

const SETTLED_MS = 200

/** The effect that a job file would have if it were saved. */
export function useCheck(file: string, text: string) {
  const asked = useSettled(text, SETTLED_MS)
  const { data, error } = useQuery<Checked, ApiError>({
    queryKey: ['/api/job-file/check', file, asked],
    queryFn: () => post('/api/job-file/check', { file, text: asked }),
    placeholderData: (before) => before,
  })
  return { checked: data, error, isCurrent: asked === text }
}

/** The text of a job file, what it would do, and the difference that saving makes. */
export function FileEditor({ file, before, close }: { file: string; before: string; close: () => void }) {
  const [text, setText] = useState(before)
  const { checked, error, isCurrent } = useCheck(file, text)
  const wrong = isCurrent ? checked?.problem?.line : undefined
  const count = text.split('\n').length
  return (
    <>
      <div className={style.lines}>
        <ol aria-hidden="true">
          {Array.from({ length: count }, (_, index) => (
            <li key={index} data-wrong={wrong === index + 1}>
              {index + 1}
            </li>
          ))}
        </ol>
        <textarea
          className={ui.editor}
          aria-label={file}
          aria-invalid={wrong !== undefined}
          value={text}
          rows={Math.max(8, count)}
          wrap="off"
          spellCheck={false}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      {error !== null && <Problem error={error} />}
      <Preview checked={checked} />
      <SaveFile
        file={file}
        before={before}
        after={text}
        isGood={isCurrent && checked?.problem === null}
        saved={close}
        cancel={close}
      />
    </>
  )
}

/** The next times, or what is wrong. */
export function Preview({ checked }: { checked: Checked | undefined }) {
  if (checked === undefined) return null
  const { problem, warnings, times } = checked
  return (
    <div role="status">
      {problem !== null && (
        <p data-tone="bad">
          Line {problem.line}: {problem.reason}
        </p>
      )}
      {warnings.map((warning) => (
        <p key={warning} data-tone="warn">
          {warning}
        </p>
      ))}
      {times.length > 0 && (
        <ol aria-label="Next times">
          {times.map((at, index) => (
            <li key={at}>
              <Time at={at} as="both" /> {index === 0 && <small>{agoText(at)}</small>}
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}

interface Edit {
  readonly file: string
  /** The file as it is; null: there is none. */
  readonly before: string | null
  /** Null: it is deleted. */
  readonly after: string | null
}

function useSave(saved: () => void) {
  return useMutation<unknown, ApiError, Edit>({
    mutationFn: (edit) => post('/api/job-file', edit),
    onSuccess: (_, { file, after }) => {
      toast(`${file} is ${after === null ? 'deleted' : 'saved'}.`)
      void queries.invalidateQueries()
      saved()
    },
  })
}

interface SaveFileProps extends Edit {
  readonly after: string
  readonly isGood: boolean
  readonly saved: () => void
  readonly cancel: () => void
}

export function SaveFile({ file, before, after, saved, ...rest }: SaveFileProps) {
  const saving = useSave(saved)
  return (
    <Saving
      title={before === null ? `New file ${file}` : `Changes of ${file}`}
      before={before ?? ''}
      after={after}
      of={saving}
      save={() => saving.mutate({ file, before, after })}
      {...rest}
    />
  )
}

export function DeleteFile({ file, text }: { file: string; text: string }) {
  const [, go] = useLocation()
  const { mutate, isPending } = useSave(() => go(JOBS_PATH))
  const act = (): void =>
    mutate({ file, before: text, after: null }, { onError: ({ message }) => toast(message, 'bad') })
  return (
    <ConfirmButton sure="Really delete?" disabled={isPending} act={act}>
      Delete
    </ConfirmButton>
  )
}
