import type { InfiniteData } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { usePages } from '../api/query.ts'
import { Button } from '../ui/button.tsx'
import { Shown } from '../ui/surface.tsx'
import style from './background.module.css'

interface PagedProps<P extends { readonly next: number | null }, I> {
  readonly of: ReturnType<typeof usePages<P>>
  readonly items: (page: P) => readonly I[]
  /** Instead of an empty list. */
  readonly none: ReactNode
  readonly children: (items: readonly I[]) => ReactNode
}

/** A list that grows by older pages. */
export function Paged<P extends { readonly next: number | null }, I>(props: PagedProps<P, I>) {
  const { of, items, none, children } = props
  return (
    <Shown<InfiniteData<P>> of={of}>
      {({ pages }) => {
        const all = pages.flatMap(items)
        return (
          <>
            {all.length === 0 ? none : children(all)}
            {of.hasNextPage && (
              <p className={style.more}>
                <Button small disabled={of.isFetchingNextPage} onClick={() => of.fetchNextPage()}>
                  {of.isFetchingNextPage ? 'Looking…' : 'Older'}
                </Button>
              </p>
            )}
          </>
        )
      }}
    </Shown>
  )
}
