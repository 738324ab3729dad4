import { useQuery } from '@tanstack/react-query'
import { Check, Copy } from 'lucide-react'
import { memo, useMemo, useState } from 'react'
import { Button } from '../ui/button.tsx'
import style from './text.module.css'

/** A block of code. Its colours come a moment later: what makes them is loaded when the first one is shown. */
export const Code = memo(function Code({ text, language }: { text: string; language?: string | undefined }) {
  const name = language?.split(/\s/)[0]
  const { data: colours } = useQuery({
    queryKey: ['highlight'],
    queryFn: () => import('./highlight.tsx'),
    enabled: name !== undefined,
    staleTime: Infinity,
  })
  const shown = useMemo(() => name && colours?.highlighted(text, name), [colours, text, name])
  return (
    <figure className={style.code}>
      <figcaption>
        <span>{name}</span>
        <CopyButton text={text} />
      </figcaption>
      <pre tabIndex={0} aria-label={name === undefined ? 'Code' : `Code, ${name}`}>
        <code>{shown || text}</code>
      </pre>
    </figure>
  )
})

export function CopyButton({ text }: { text: string }) {
  const [isDone, setDone] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    setDone(true)
    setTimeout(() => setDone(false), 1_500)
  }
  return (
    <Button
      look="bare"
      small
      aria-label={isDone ? 'Copied' : 'Copy'}
      title="Copy"
      onClick={() => void copy()}
    >
      {isDone ? <Check /> : <Copy />}
    </Button>
  )
}
