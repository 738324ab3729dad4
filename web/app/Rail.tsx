import { Ellipsis, Search } from 'lucide-react'
import type { ComponentProps } from 'react'
import { Link, useLocation } from 'wouter'
import { useStore } from '../api/store.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import ui from '../ui/ui.module.css'
import style from './app.module.css'
import { useBadges, type Badge } from './badges.ts'
import { isMac } from './keys.ts'
import { hide, overlay } from './overlay.ts'
import { viewAt, views, type View } from './routes.tsx'
import { setTheme, theme, THEMES } from './theme.ts'

const LINK = `${ui.place} ${style.link}`

/** Beside the view; on a phone below it, with the first views and the others behind More. */
export function Rail() {
  const badges = useBadges()
  const links = views.map((view) => <RailLink key={view.name} view={view} badge={badges[view.name]} />)
  return (
    <>
      <nav className={style.rail} aria-label="Views">
        <Brand />
        {links}
        <button className={style.more} aria-haspopup="dialog" onClick={() => overlay.set('more')}>
          <Ellipsis />
          More
        </button>
        <div className={style.foot}>
          <button className={`${LINK} ${style.find}`} onClick={() => overlay.set('palette')}>
            <Search />
            Find
            <kbd>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
          </button>
          <ThemeButton look="bare" small />
        </div>
      </nav>
      {useStore(overlay) === 'more' && (
        <Dialog title="More" look="sheet" onClose={hide}>
          <div className={style.sheet} onClick={(event) => (event.target as Element).closest('a') && hide()}>
            {links}
            <Button onClick={() => overlay.set('palette')}>
              <Search /> Find
            </Button>
            <ThemeButton />
          </div>
        </Dialog>
      )}
    </>
  )
}

export function Brand() {
  return (
    <div className={style.brand}>
      <svg width="18" height="18" viewBox="0 0 18 18" fill="none" strokeLinecap="round" aria-hidden="true">
        <path d="M1 12C5 12 6 9 9 9s4 3 8 3" stroke="var(--stem)" strokeWidth="3" />
        <path d="M6 10C8 6 10 4 14 4" stroke="var(--stem)" strokeWidth="1.6" opacity=".6" />
      </svg>
      Mainstem
    </div>
  )
}

function RailLink({ view, badge }: { view: View; badge: Badge | undefined }) {
  const { name, title, icon: Icon } = view
  const isHere = viewAt(useLocation()[0])?.name === name
  return (
    <Link href={`/${name}`} className={LINK} data-name={name} aria-current={isHere ? 'page' : undefined}>
      <Icon />
      <span>{title}</span>
      {badge && (
        <small data-tone={badge.tone} title={badge.help}>
          {badge.count}
          <span className="visually-hidden"> {badge.help}</span>
        </small>
      )}
    </Link>
  )
}

/** Goes on to the next theme; with words unless it is small. */
function ThemeButton({ small = false, ...rest }: Pick<ComponentProps<typeof Button>, 'look' | 'small'>) {
  const { words, icon: Icon, next } = THEMES[useStore(theme)]
  return (
    <Button small={small} aria-label={words} title={words} onClick={() => setTheme(next)} {...rest}>
      <Icon /> {!small && words}
    </Button>
  )
}
