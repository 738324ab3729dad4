import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import type { aroundView } from '../../src/view/messages.ts'
import { useRead } from '../api/query.ts'
import { Markdown } from '../text/markdown.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { Chip, Shown } from '../ui/surface.tsx'
import { Time } from '../ui/time.tsx'
import { isProse, Marked, whoSaid } from './Hits.tsx'
import { withoutSigns } from './marked.ts'
import style from './memory.module.css'
import type { Hit } from './search.ts'

type Around = ReturnType<typeof aroundView>
type Message = Around['messages'][number]

const [FEW, MANY, MOST] = [4, 15, 50]

/** A hit among the messages before and after it. */
export function AroundHit({ hit }: { readonly hit: Pick<Hit, 'position' | 'written'> }) {
  const { position, written } = hit
  const [limit, setLimit] = useState(FEW)
  const around = useRead<Around>('/api/around', { position, limit }, { keep: true })
  const more = limit < MOST ? () => setLimit(limit === FEW ? MANY : MOST) : undefined
  return (
    <Shown of={around}>
      {({ messages, handle, branchName, isMoreBefore, isMoreAfter }) => (
        <>
          <header className={style.aroundHead}>
            <h2>Around it</h2>
            <span>{branchName}</span>
            <Links handle={handle} position={position} turn={turnAt(messages, position)} />
          </header>
          <More isShown={isMoreBefore} more={more} words="Earlier" />
          <ol className={style.around}>
            {messages.map((message) => (
              <Said
                key={message.position}
                message={message}
                words={written}
                isHit={message.position === position}
              />
            ))}
          </ol>
          <More isShown={isMoreAfter} more={more} words="Later" />
        </>
      )}
    </Shown>
  )
}

/** The turn of the hit; of a summary, that of the message before it. */
function turnAt(messages: readonly Message[], position: number): number | null {
  return messages.findLast((message) => message.position <= position && message.turn !== null)?.turn ?? null
}

function Links({
  handle,
  position,
  turn,
}: {
  readonly handle: string
  readonly position: number
  readonly turn: number | null
}) {
  return (
    <>
      <Link className={buttonClass('plain', true)} href={`/chat/${handle}?at=${position}`}>
        Open in chat
      </Link>
      {turn !== null && (
        <Link className={buttonClass('plain', true)} href={`/context/${handle}/${turn}`}>
          What the model saw then
        </Link>
      )}
    </>
  )
}

function More({
  isShown,
  more,
  words,
}: {
  readonly isShown: boolean
  readonly more: (() => void) | undefined
  readonly words: string
}) {
  if (!isShown || more === undefined) return null
  return (
    <Button look="bare" small className={style.more} onClick={more}>
      {words}
    </Button>
  )
}

function Said({
  message,
  words,
  isHit,
}: {
  readonly message: Message
  readonly words: readonly string[]
  readonly isHit: boolean
}) {
  const place = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isHit) place.current?.scrollIntoView({ block: 'nearest' })
  }, [isHit])
  const { at, label, text, isCut, kind } = message
  return (
    <li ref={place} data-hit={isHit} data-kind={kind}>
      <span className={style.head}>
        <b>{whoSaid(message)}</b>
        <Time at={at} as="both" />
        {label !== null && <Chip className={style.label}>{label}</Chip>}
      </span>
      {kind === 'assistant' && !isHit ? (
        <Markdown text={text} />
      ) : (
        <Marked text={isProse(message) ? withoutSigns(text) : text} words={isHit ? words : []} />
      )}
      {isCut && <span className={style.why}>… the rest is in the chat</span>}
    </li>
  )
}
