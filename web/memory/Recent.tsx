import { Link } from 'wouter'
import type { aroundView } from '../../src/view/messages.ts'
import { useRead } from '../api/query.ts'
import { Card, CardHead, Shown } from '../ui/surface.tsx'
import { Time } from '../ui/time.tsx'
import { whoSaid } from './Hits.tsx'
import { withoutSigns } from './marked.ts'
import style from './memory.module.css'

type Message = ReturnType<typeof aroundView>['messages'][number]

/** A message that only calls a tool says nothing. */
function isSaid({ kind, text }: Message, next: Message | undefined): boolean {
  if (kind !== 'user' && kind !== 'assistant') return false
  const isCalling = kind === 'assistant' && (next?.kind === 'tool' || next?.kind === 'echo')
  return text !== '' && !isCalling
}

/** What was said last, as a place to begin. */
export function Recent() {
  const recent = useRead<ReturnType<typeof aroundView>>(
    '/api/around',
    { limit: 12 },
    { on: ['message-added'] },
  )
  return (
    <Card className={style.recent}>
      <CardHead title="Recently said" />
      <Shown of={recent}>
        {({ messages, handle }) =>
          messages.length === 0 ? (
            <p className={style.teach}>
              Nothing was said yet. Everything said from now on can be searched here: messages, results of
              tools, summaries and updates, also after a rewind or a clear.
            </p>
          ) : (
            <ol className={style.rows}>
              {messages
                .filter((message, index) => isSaid(message, messages[index + 1]))
                .toReversed()
                .map((message) => (
                  <li key={message.position}>
                    <Link href={`/chat/${handle}?at=${message.position}`}>
                      <b>{whoSaid(message)}</b>
                      <span>{withoutSigns(message.text)}</span>
                      <Time at={message.at} as="ago" />
                    </Link>
                  </li>
                ))}
            </ol>
          )
        }
      </Shown>
    </Card>
  )
}
