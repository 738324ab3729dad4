import { Search, X } from 'lucide-react'
import { useEffect, useState, useSyncExternalStore, type KeyboardEvent } from 'react'
import { Page } from '../app/Page.tsx'
import { Button } from '../ui/button.tsx'
import { Card, Empty, Problem } from '../ui/surface.tsx'
import { AroundHit } from './Around.tsx'
import { Filters } from './Filters.tsx'
import { HitButton, Remarks } from './Hits.tsx'
import { MemoryFile } from './MemoryFile.tsx'
import style from './memory.module.css'
import { Recent } from './Recent.tsx'
import { isMoreAllowed, STEP, useAsked, useFound, type Found } from './search.ts'
import { Todos } from './Todos.tsx'

export default function MemoryView() {
  const asked = useAsked()
  const { q, limit, found } = useFound(asked)
  const hits = found.data?.hits ?? []
  return (
    <Page title="Memory">
      <search className={style.search}>
        <Field asked={asked} isBusy={found.isFetching} />
        {q !== '' && <Filters asked={asked} hits={hits} />}
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
          {found.data && <Results asked={asked} found={found.data} limit={limit} />}
        </>
      )}
    </Page>
  )
}

type Asked = ReturnType<typeof useAsked>

function Field({ asked: { of, set }, isBusy }: { readonly asked: Asked; readonly isBusy: boolean }) {
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
    <div className={style.field} data-busy={isBusy}>
      <Search aria-hidden="true" />
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
  readonly limit: number
}

function Results({ asked: { of, set }, found, limit }: ResultsProps) {
  const isWide = useIsWide()
  const { hits, more } = found
  const at = of('at')
  const chosen = hits.find((hit) => keyOf(hit) === at) ?? (isWide ? hits[0] : undefined)
  if (hits.length === 0)
    return (
      <>
        <Remarks found={found} />
        <Empty title={`Nothing was found for “${found.query}”`}>
          <p>Try other or fewer words, or fewer filters. Typos are repaired, and near meanings are found.</p>
        </Empty>
      </>
    )
  return (
    <div className={style.results}>
      <div>
        <Remarks found={found} />
        <ol className={style.hits} onKeyDown={moveFocus}>
          {hits.map((hit) => (
            <li key={keyOf(hit)}>
              <HitButton
                hit={hit}
                isChosen={hit === chosen}
                choose={() => set({ at: hit === chosen && !isWide ? undefined : keyOf(hit) }, 'replace')}
              />
              {!isWide && hit === chosen && (
                <div className={style.below}>
                  <AroundHit hit={hit} />
                </div>
              )}
            </li>
          ))}
        </ol>
        {more && isMoreAllowed(limit) && (
          <Button className={style.more} onClick={() => set({ limit: String(limit + 2 * STEP) }, 'replace')}>
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

function keyOf({ position, part }: Found['hits'][number]): string {
  return part === 0 ? String(position) : `${position}.${part}`
}

const wide = matchMedia('(min-width: 1000px)')

function useIsWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      wide.addEventListener('change', listener)
      return () => wide.removeEventListener('change', listener)
    },
    () => wide.matches,
  )
}
