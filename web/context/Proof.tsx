import { useQuery } from '@tanstack/react-query'
import { BadgeCheck, BadgeX } from 'lucide-react'
import type { TurnContextView } from '../../src/view/prompt/turn-context.ts'
import { Button } from '../ui/button.tsx'
import ui from '../ui/ui.module.css'

type Turn = NonNullable<TurnContextView['turn']>

/** Hashes what is shown in the browser, and compares it with what the log noted when the model was called. */
export function Proof({ text, turn }: { text: string; turn: Turn }) {
  const { data: hash } = useQuery({
    queryKey: ['sha256', turn.hash, text.length],
    queryFn: () => sha256(text),
    staleTime: Infinity,
  })
  const isSame = hash ? hash === turn.hash : turn.isSame
  const words = isSame
    ? `${hash ? 'Your browser' : 'Mainstem'} hashed these bytes: the same SHA-256 as noted when the model was called.`
    : 'These bytes do not have the hash that was noted when the model was called. Run mainstem doctor.'
  return <Verdict isSame={isSame} hash={turn.hash} words={words} />
}

/** A small sign that what is shown is what was sent. */
export function Exact({ turn: { isSame, hash }, open }: { turn: Turn; open: () => void }) {
  const words = `${isSame ? 'exactly' : 'not'} what was sent · ${hash.slice(0, 8)}`
  return (
    <Button look="text" onClick={open}>
      <Verdict isSame={isSame} hash={hash} words={words} />
    </Button>
  )
}

type VerdictProps = Pick<Turn, 'isSame' | 'hash'> & { readonly words: string }

function Verdict({ isSame, hash, words }: VerdictProps) {
  const Sign = isSame ? BadgeCheck : BadgeX
  return (
    <small className={ui.row} data-tone={isSame ? 'good' : 'bad'} title={`SHA-256 ${hash}`}>
      <Sign />
      {words}
    </small>
  )
}

/** In hexadecimal; null where the browser does not compute hashes, as on a plain http address. */
async function sha256(text: string): Promise<string | null> {
  if (!globalThis.isSecureContext) return null
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
