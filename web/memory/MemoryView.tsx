import { Search, X } from 'lucide-react'
import { useEffect, useState, type KeyboardEvent } from 'react'
import { Link } from 'wouter'
import type { aroundView } from '../../src/view/messages.ts'
import { useRead } from '../api/query.ts'
import { Store, useStore } from '../api/store.ts'
import { Page } from '../app/Page.tsx'
import { Button } from '../ui/button.tsx'
import { Card, CardHead, Empty, Problem, Shown } from '../ui/surface.tsx'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import { AroundHit } from './Around.tsx'
import { Filters } from './Filters.tsx'
import { HitButton, Remarks, whoSaid } from './Hits.tsx'
import { withoutSigns } from './marked.ts'
import { MemoryFile } from './MemoryFile.tsx'
import style from './memory.module.css'
import { useAsked, useFound, type Asked, type Found, type Hit } from './search.ts'
import { Todos } from './Todos.tsx'

export default function MemoryView() {
  const asked = useAsked()
  const { q, found, more } = useFound(asked)
  return (
    <Page title="Memory">
      <search className={style.search}>
        <Field asked={asked} isBusy={found.isFetching} />
        {q !== '' && <Filters asked={asked} hits={found.data?.hits ?? []} />}
      </search>
      {q === '' ? (
        <div className={style.home}>
          <MemoryFile />
          <Todos />
          <Recent />
        </div>
      ) : (
        <>
          {found.error !== null && <Problem error={found.error} retry={() => found.refetch()} />}
          {found.data && <Results asked={asked} found={found.data} more={more} />}
        </>
      )}
    </Page>
  )
}

function Field({ asked: { of, set }, isBusy }: { asked: Asked; isBusy: boolean }) {
  const [text, setText] = useState(of('q'))
  const inAddress = of('q')
  // Back and forward change the address, and not what was typed.
  useEffect(() => setText((typed) => (typed.trim() === inAddress.trim() ? typed : inAddress)), [inAddress])
  const type = (typed: string): void => {
    setText(typed)
    // One entry of the history for a search, not one for each letter.
    set({ q: typed, at: undefined, limit: undefined }, inAddress === '' ? 'push' : 'replace')
  }
  return (
    <div className={`${ui.card} ${style.field}`} data-busy={isBusy}>
      <Search />
      <input
        type="search"
        aria-label="Search everything ever said"
        placeholder="Search everything ever said"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => type(target.value)}
        autoFocus={matchMedia('(hover: hover)').matches}
      />
      {text !== '' && (
        <Button look="bare" small aria-label="Clear the search" onClick={() => type('')}>
          <X />
        </Button>
      )}
    </div>
  )
}

interface ResultsProps {
  readonly asked: Asked
  readonly found: Found
  readonly more: (() => void) | undefined
}

/** The hits; the messages around the chosen one stand beside them, or below it where there is no room. */
function Results({ asked: { of, set }, found, more }: ResultsProps) {
  const isWide = useStore(isWideNow)
  const { hits, query } = found
  const chosen = hits.find((hit) => keyOf(hit) === of('at')) ?? (isWide ? hits[0] : undefined)
  return (
    <div className={style.results}>
      <div className={ui.stack}>
        <Remarks found={found} label={of('label')} />
        {hits.length === 0 && (
          <Empty title={`Nothing found for “${query}”`}>
            <p>Try other or fewer words, or fewer filters.</p>
          </Empty>
        )}
        <ol className={`${ui.card} ${ui.rows}`} hidden={hits.length === 0} onKeyDown={moveFocus}>
          {hits.map((hit) => (
            <li key={keyOf(hit)}>
              <HitButton
                hit={hit}
                isChosen={hit === chosen}
                choose={() => set({ at: hit === chosen && !isWide ? undefined : keyOf(hit) }, 'replace')}
              />
              {!isWide && hit === chosen && <AroundHit hit={hit} />}
            </li>
          ))}
        </ol>
        {more && (
          <Button className={style.more} onClick={more}>
            More
          </Button>
        )}
      </div>
      {isWide && chosen && (
        <Card className={style.beside} aria-label="Around the chosen hit">
          <AroundHit key={keyOf(chosen)} hit={chosen} />
        </Card>
      )}
    </div>
  )
}

/** Arrows go from hit to hit. */
function moveFocus(event: KeyboardEvent<HTMLOListElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const buttons = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('button[aria-pressed]')]
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
  if (step === undefined || at < 0) return
  event.preventDefault()
  const next = buttons[at + step]
  next?.focus()
  next?.click()
}

function keyOf({ position, part }: Hit): string {
  return part === 0 ? String(position) : `${position}.${part}`
}

const wide = matchMedia('(min-width: 1000px)')
const isWideNow = new Store(wide.matches)
wide.addEventListener('change', () => isWideNow.set(wide.matches))

type Around = ReturnType<typeof aroundView>
type Message = Around['messages'][number]

/** What was said last, as a place to begin. */
function Recent() {
  const recent = useRead<Around>('/api/around', { limit: 12 }, { on: ['message-added'] })
  return (
    <Card className={style.recent}>
      <CardHead title="Recently said" />
      <Shown of={recent}>
        {({ messages, handle }) =>
          messages.length === 0 ? (
            <p className={`${ui.inside} ${ui.note}`}>
              Nothing was said yet. Everything said from now on can be searched here: messages, results of
              tools, summaries and updates, also after a rewind or a clear.
            </p>
          ) : (
            <ol className={ui.rows}>
              {messages
                .filter((message, index) => isSaid(message, messages[index + 1]))
                .toReversed()
                .map((message) => (
                  <li key={message.position}>
                    <Link href={`/chat/${handle}?at=${message.position}`} className={ui.pick}>
                      <b className={ui.clip}>{whoSaid(message)}</b>
                      <span className={ui.clip}>{withoutSigns(message.text)}</span>
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

/** A message that only calls a tool says nothing. */
function isSaid({ kind, text }: Message, next: Message | undefined): boolean {
  if (kind !== 'user' && kind !== 'assistant') return false
  const isCalling = kind === 'assistant' && (next?.kind === 'tool' || next?.kind === 'echo')
  return text !== '' && !isCalling
}
