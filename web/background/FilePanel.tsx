import { useState } from 'react'
import { useLocation } from 'wouter'
import { useRead } from '../api/query.ts'
import { Button } from '../ui/button.tsx'
import { Shown } from '../ui/surface.tsx'
import { toast } from '../ui/toast.ts'
import style from './background.module.css'
import type { JobsView } from '../../src/view/jobs.ts'
import { FileEditor, saveFile } from './FileEditor.tsx'

interface FilePanelProps {
  readonly file: string
  readonly problems: JobsView['problems']
}

/** A job file that cannot be used: mend or delete it. */
export function FilePanel({ file, problems }: FilePanelProps) {
  const [, go] = useLocation()
  const close = (): void => go('/background/jobs')
  const problem = problems.find((one) => one.file === file)
  return (
    <article>
      <header className={style.title}>
        <h2>{file}</h2>
        <JobFile file={file}>{(text) => <DeleteFile file={file} text={text} gone={close} />}</JobFile>
      </header>
      {problem !== undefined && <p className={style.dim}>It is not used until its mistake is mended.</p>}
      <JobFile file={file}>{(text) => <FileEditor file={file} before={text} close={close} />}</JobFile>
    </article>
  )
}

/** The text of a job file. */
export function JobFile({
  file,
  children,
}: {
  readonly file: string
  readonly children: (text: string) => React.ReactNode
}) {
  return (
    <Shown of={useRead<{ text: string }>('/api/job-file', { file })}>{({ text }) => children(text)}</Shown>
  )
}

interface DeleteProps {
  readonly file: string
  readonly text: string
  readonly gone: () => void
}

/** No command deletes this one. */
export function DeleteFile({ file, text, gone }: DeleteProps) {
  const remove = async (): Promise<void> => {
    try {
      await saveFile({ file, before: text, after: null })
      gone()
    } catch (error) {
      toast((error as Error).message, 'bad')
    }
  }
  return <Sure words="Delete" act={() => void remove()} />
}

/** A button that asks once more. */
export function Sure({ words, act }: { readonly words: string; readonly act: () => void }) {
  const [isAsked, setAsked] = useState(false)
  if (!isAsked)
    return (
      <Button small onClick={() => setAsked(true)}>
        {words}
      </Button>
    )
  return (
    <span className={style.sure}>
      <Button small look="danger" autoFocus onClick={act}>
        Really {words.toLowerCase()}
      </Button>
      <Button small look="bare" onClick={() => setAsked(false)}>
        Keep
      </Button>
    </span>
  )
}
