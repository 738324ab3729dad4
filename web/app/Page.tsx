import type { ReactNode } from 'react'
import style from './app.module.css'
import { useTitle } from './badges.ts'
import { StatusChips } from './StatusChips.tsx'

interface PageProps {
  readonly title: string
  /** Beside the title. */
  readonly chips?: ReactNode
  /** At the right end of the top bar; left out: how Mainstem is. */
  readonly actions?: ReactNode
  /** `bare`: the view fills everything below the bar, without padding or scrolling. */
  readonly fill?: 'padded' | 'bare'
  readonly children: ReactNode
}

/** What every view is: a bar with its title, and itself. */
export function Page({ title, chips, actions, fill = 'padded', children }: PageProps) {
  useTitle(title)
  return (
    <>
      <header className={style.top}>
        <h1>{title}</h1>
        {chips}
        <div className={style.actions}>{actions ?? <StatusChips />}</div>
      </header>
      <main id="view" className={style.view} data-fill={fill} tabIndex={-1}>
        {children}
      </main>
    </>
  )
}
