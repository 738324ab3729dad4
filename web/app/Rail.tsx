import { Ellipsis, Monitor, Moon, Search, Sun } from 'lucide-react'
import { Link, useLocation } from 'wouter'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Menu, MenuChoice } from '../ui/Menu.tsx'
import style from './app.module.css'
import { useBadges, type Badge } from './badges.ts'
import { Brand } from './Brand.tsx'
import { isMac } from './keys.ts'
import { hide, show, useOverlay } from './overlay.ts'
import { viewAt, views, type View } from './routes.tsx'
import { useTheme, type Theme } from './theme.ts'

/** Beside the view; on a phone below it, with the first views and the others behind More. */
export function Rail() {
  const badges = useBadges()
  const isMore = useOverlay() === 'more'
  return (
    <>
      <nav className={style.rail} aria-label="Views">
        <Brand />
        {views.map((view) => (
          <RailLink key={view.name} view={view} badge={badges[view.name]} />
        ))}
        <button type="button" className={style.more} aria-haspopup="dialog" onClick={() => show('more')}>
          <Ellipsis aria-hidden="true" />
          More
        </button>
        <div className={style.foot}>
          <button type="button" className={style.find} onClick={() => show('palette')}>
            <Search aria-hidden="true" />
            Find
            <kbd>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
          </button>
          <ThemeMenu />
        </div>
      </nav>
      {isMore && <More badges={badges} />}
    </>
  )
}

interface RailLinkProps {
  readonly view: View
  readonly badge: Badge | undefined
}

function RailLink({ view: { name, title, icon: Icon, place }, badge }: RailLinkProps) {
  const isHere = viewAt(useLocation()[0])?.name === name
  return (
    <Link
      href={`/${name}`}
      className={style.link}
      data-place={place}
      data-name={name}
      aria-current={isHere ? 'page' : undefined}
    >
      <Icon aria-hidden="true" />
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

function More({ badges }: { badges: Readonly<Record<string, Badge | undefined>> }) {
  const [theme, setTheme] = useTheme()
  return (
    <Dialog title="More" look="sheet" onClose={hide}>
      <div className={style.sheet} onClick={(event) => (event.target as Element).closest('a') && hide()}>
        {views.map((view) => (
          <RailLink key={view.name} view={view} badge={badges[view.name]} />
        ))}
        <Button onClick={() => show('palette')}>
          <Search /> Find
        </Button>
        <Button onClick={() => setTheme(NEXT[theme])}>
          <ThemeIcon theme={theme} /> {LABELS[theme]}
        </Button>
      </div>
    </Dialog>
  )
}

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' }
const LABELS: Readonly<Record<Theme, string>> = { system: 'As the system', light: 'Light', dark: 'Dark' }

function ThemeIcon({ theme }: { theme: Theme }) {
  const Icon = { system: Monitor, light: Sun, dark: Moon }[theme]
  return <Icon aria-hidden="true" />
}

function ThemeMenu() {
  const [theme, setTheme] = useTheme()
  return (
    <Menu
      align="end"
      trigger={
        <Button look="bare" small aria-label="Colours" title="Colours">
          <ThemeIcon theme={theme} />
        </Button>
      }
    >
      <MenuChoice
        value={theme}
        choices={Object.entries(LABELS)}
        onChoose={(chosen) => setTheme(chosen as Theme)}
      />
    </Menu>
  )
}
