import type { InfiniteData } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { usePages } from '../api/query.ts'
import { Button } from '../ui/button.tsx'
import { Shown, Table } from '../ui/surface.tsx'
import style from './background.module.css'

type Page = { readonly next: number | null }

interface PagedProps<P extends Page, I> {
  readonly of: ReturnType<typeof usePages<P>>
  readonly items: (page: P) => readonly I[]
  readonly heads: readonly string[]
  readonly row: (item: I) => ReactNode
  /** Instead of an empty table. */
  readonly none: ReactNode
}

/** A table that grows by older pages. */
export function PagedTable<P extends Page, I>({ of, items, heads, row, none }: PagedProps<P, I>) {
  return (
    <Shown<InfiniteData<P>> of={of}>
      {({ pages }) => {
        const all = pages.flatMap(items)
        if (all.length === 0 && !of.hasNextPage) return none
        return (
          <>
            <Table heads={heads} className={style.table}>
              {all.map(row)}
            </Table>
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
