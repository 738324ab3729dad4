import { Check, Copy } from 'lucide-react'
import { memo, useEffect, useState, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import style from './text.module.css'

/** A block of code. Its colours come a moment later: they are loaded when the first one is shown. */
export const Code = memo(function Code({ text, language }: { text: string; language?: string | undefined }) {
  const name = language?.split(/\s/)[0]
  return (
    <figure className={style.code}>
      <figcaption>
        <span>{name}</span>
        <CopyButton text={text} />
      </figcaption>
      <pre tabIndex={0} aria-label={name === undefined ? 'Code' : `Code, ${name}`}>
        <code>{useColours(text, name) ?? text}</code>
      </pre>
    </figure>
  )
})

function useColours(text: string, language: string | undefined): ReactNode {
  const [coloured, setColoured] = useState<{ readonly text: string; readonly shown: ReactNode }>()
  useEffect(() => {
    if (language === undefined) return
    let isGone = false
    const colour = async (): Promise<void> => {
      const { highlighted } = await import('./highlight.tsx')
      if (!isGone) setColoured({ text, shown: highlighted(text, language) })
    }
    void colour()
    return () => {
      isGone = true
    }
  }, [text, language])
  return coloured?.text === text ? coloured.shown : undefined
}

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
