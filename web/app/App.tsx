import { useEffect, useRef } from 'react'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import { useIsConnected } from '../api/query.ts'
import { Empty, Loading } from '../ui/surface.tsx'
import { Toasts } from '../ui/Toasts.tsx'
import style from './app.module.css'
import { Boundary } from './Boundary.tsx'
import { KeyList } from './KeyList.tsx'
import { useKeys } from './keys.ts'
import { later } from './later.tsx'
import { useOverlay } from './overlay.ts'
import { Page } from './Page.tsx'
import { Rail } from './Rail.tsx'
import { views } from './routes.tsx'
import { useSession } from './session.ts'
import { SignIn } from './SignIn.tsx'

export function App() {
  const session = useSession()
  if (session.kind === 'asking') return <Loading />
  if (session.kind === 'out') return <SignIn problem={session.problem} />
  return <Shell />
}

const Palette = later(() => import('./Palette.tsx'), null)

function Shell() {
  const [location] = useLocation()
  useKeys()
  useFocusOnView()
  return (
    <div className={style.shell}>
      <a className={style.skip} href="#view" onClick={() => document.getElementById('view')?.focus()}>
        Skip to the view
      </a>
      <Rail />
      <div className={style.place}>
        <Offline />
        <Boundary at={location}>
          <Switch>
            {views.map(({ name, component }) => (
              <Route key={name} path={`/${name}/*?`} component={component} />
            ))}
            <Route path="/">
              <Redirect to="/chat" replace />
            </Route>
            <Route>
              <Page title="Not found">
                <Empty title="There is nothing at this address">
                  <Link href="/chat">Go to the chat</Link>
                </Empty>
              </Page>
            </Route>
          </Switch>
        </Boundary>
      </div>
      <Toasts />
      <Overlays />
    </div>
  )
}

/** What lies over the page. The palette is loaded when somebody opens it. */
function Overlays() {
  const overlay = useOverlay()
  if (overlay === 'keys') return <KeyList />
  return overlay === 'palette' ? <Palette /> : null
}

/** After going to another view, the keyboard and a screen reader go on there. */
function useFocusOnView(): void {
  const [location] = useLocation()
  const view = location.split('/')[1]
  const isFirst = useRef(true)
  useEffect(() => {
    if (!isFirst.current && !document.activeElement?.closest('main')) document.getElementById('view')?.focus()
    isFirst.current = false
  }, [view])
}

function Offline() {
  const isConnected = useIsConnected()
  return isConnected ? null : (
    <p className={style.offline} role="status">
      Mainstem does not answer. Trying again…
    </p>
  )
}
