import { useCommand } from '../api/act.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Time } from '../ui/time.tsx'
import { Link } from 'wouter'
import { contextPlaceOf, placeOf, wordsOf } from './describe.ts'
import type { Hit } from './frame.ts'
import style from './river.module.css'

const WIDTH = 280
const ROOM = 150

interface CardProps {
  readonly hit: Hit
  readonly main: string
  readonly width: number
  readonly onEnter: () => void
  readonly onLeave: () => void
  readonly onZoom: () => void
}

/** What is pointed at: what it is, when, and what can be done with it. */
export function Card({ hit, main, width, onEnter, onLeave, onZoom }: CardProps) {
  const { target, x, y, height } = hit
  const { title, text, at } = wordsOf(target)
  const place = placeOf(target, main)
  const context = contextPlaceOf(target, main)
  const left = Math.min(Math.max(8, x - 8), Math.max(8, width - WIDTH - 8))
  const isAbove = y > ROOM + 20
  const position = isAbove ? { left, bottom: `calc(100% - ${y - 6}px)` } : { left, top: y + height + 6 }
  return (
    <div className={style.card} style={position} onPointerEnter={onEnter} onPointerLeave={onLeave}>
      <b>{title}</b>
      <small>
        <Time at={at} as="both" />
      </small>
      {text !== '' && <p>{text}</p>}
      <div className={style.cardActions}>
        {place === undefined ? (
          <Button small onClick={onZoom}>
            Zoom in
          </Button>
        ) : (
          <Link href={place} className={buttonClass('plain', true)}>
            Open in chat
          </Link>
        )}
        {context !== undefined && (
          <Link href={context} className={buttonClass('plain', true)}>
            What the model saw
          </Link>
        )}
        {target.kind === 'thing' && target.thing.canUndo === true && <Undo branch={target.thing.branch} />}
      </div>
    </div>
  )
}

function Undo({ branch }: { readonly branch: string }) {
  const { mutate, isPending } = useCommand()
  return (
    <Button small disabled={isPending} onClick={() => mutate({ text: '/undo', branch })}>
      Undo
    </Button>
  )
}
