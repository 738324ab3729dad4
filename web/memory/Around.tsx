import { useEffect, useRef, useState } from 'react'
import type { aroundView } from '../../src/view/messages.ts'
import { useRead } from '../api/query.ts'
import { Markdown } from '../text/markdown.tsx'
import { Button, LinkButton } from '../ui/button.tsx'
import { CardHead, Shown } from '../ui/surface.tsx'
import { Head, Marked, placeOf } from './Hits.tsx'
import style from './memory.module.css'
import type { Hit } from './search.ts'

type Around = ReturnType<typeof aroundView>

const LIMITS = [4, 15, 50]

/** A hit among the messages before and after it. */
export function AroundHit({ hit: { position, written } }: { hit: Hit }) {
  const [limit, setLimit] = useState(LIMITS[0])
  const around = useRead<Around>('/api/around', { position, limit }, { keep: true })
  const next = LIMITS[LIMITS.indexOf(limit ?? 0) + 1]
  const more = (words: string, isMore: boolean) =>
    isMore &&
    next !== undefined && (
      <Button look="bare" small className={style.more} onClick={() => setLimit(next)}>
        {words}
      </Button>
    )
  return (
    <Shown of={around}>
      {({ messages, handle, isMoreBefore, isMoreAfter, ...branch }) => (
        <>
          <CardHead
            title={
              <>
                Nearby messages <small>{placeOf(branch)}</small>
              </>
            }
          >
            <LinkButton href={`/chat/${handle}?at=${position}`}>Open in chat</LinkButton>
            <SawThen handle={handle} turn={turnAt(messages, position)} />
          </CardHead>
          {more('Show earlier', isMoreBefore)}
          <ol className={style.around}>
            {messages.map((message) => (
              <Said
                key={message.position}
                message={message}
                words={message.position === position ? written : undefined}
              />
            ))}
          </ol>
          {more('Show later', isMoreAfter)}
        </>
      )}
    </Shown>
  )
}

/** The turn of the hit; of a summary, that of the message before it. */
function turnAt(messages: Around['messages'], position: number): number | null {
  return messages.findLast((message) => message.position <= position && message.turn !== null)?.turn ?? null
}

function SawThen({ handle, turn }: { handle: string; turn: number | null }) {
  if (turn === null) return null
  return <LinkButton href={`/context/${handle}/${turn}`}>What the model saw then</LinkButton>
}

interface SaidProps {
  readonly message: Around['messages'][number]
  /** Of the hit: the words that it was found by. */
  readonly words: readonly string[] | undefined
}

function Said({ message, words }: SaidProps) {
  const place = useRef<HTMLLIElement>(null)
  const isHit = words !== undefined
  useEffect(() => {
    if (isHit) place.current?.scrollIntoView({ block: 'nearest' })
  }, [isHit])
  return (
    <li ref={place} data-hit={isHit}>
      <Head of={message} />
      {message.kind === 'assistant' && !isHit ? (
        <Markdown text={message.text} />
      ) : (
        <Marked of={message} words={words ?? []} />
      )}
      {message.isCut && <small>… the rest is in the chat</small>}
    </li>
  )
}
