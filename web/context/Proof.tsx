import { useQuery } from '@tanstack/react-query'
import { BadgeCheck, BadgeX } from 'lucide-react'
import type { TurnContextView } from '../../src/view/prompt/turn-context.ts'
import style from './context.module.css'
import { sha256 } from './raw.ts'

type Turn = NonNullable<TurnContextView['turn']>

/** Hashes what is shown in the browser, and compares it with what the log noted when the model was called. */
export function Proof({ text, turn }: { readonly text: string; readonly turn: Turn }) {
  const { data: hash } = useQuery({
    queryKey: ['sha256', turn.hash, text.length],
    queryFn: async () => (await sha256(text)) ?? null,
    staleTime: Infinity,
  })
  const isSame = hash ? hash === turn.hash : turn.isSame
  const by = hash ? 'Your browser' : 'Mainstem'
  return (
    <p className={style.proof} data-tone={isSame ? 'good' : 'bad'} title={`SHA-256 ${turn.hash}`}>
      {isSame ? <BadgeCheck aria-hidden="true" /> : <BadgeX aria-hidden="true" />}
      <span>
        {isSame
          ? `${by} hashed these bytes: the same SHA-256 as noted when the model was called.`
          : 'These bytes do not have the hash that was noted when the model was called. Run mainstem doctor.'}
      </span>
      <code>{turn.hash.slice(0, 12)}</code>
    </p>
  )
}

/** A small sign that what is shown is what was sent. */
export function Exact({ turn, open }: { readonly turn: Turn; readonly open: () => void }) {
  return (
    <button
      type="button"
      className={style.exact}
      data-tone={turn.isSame ? 'good' : 'bad'}
      title={`SHA-256 ${turn.hash}`}
      onClick={open}
    >
      {turn.isSame ? <BadgeCheck aria-hidden="true" /> : <BadgeX aria-hidden="true" />}
      {turn.isSame ? 'exactly what was sent' : 'not what was sent'} · <code>{turn.hash.slice(0, 8)}</code>
    </button>
  )
}
