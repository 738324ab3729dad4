import { Suspense } from 'react'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import { useIsConnected, useRead } from '../api/query.ts'
import { Empty, Loading } from '../ui/surface.tsx'
import { Toasts } from '../ui/Toasts.tsx'
import style from './app.module.css'
import { Brand } from './Brand.tsx'
import { Page } from './Page.tsx'
import { views, type View } from './routes.tsx'
import { useSession } from './session.ts'
import { SignIn } from './SignIn.tsx'

export function App() {
  const session = useSession()
  if (session.kind === 'asking') return <Loading />
  if (session.kind === 'out') return <SignIn problem={session.problem} />
  return (
    <div className={style.shell}>
      <a className={style.skip} href="#view" onClick={() => document.getElementById('view')?.focus()}>
        Skip to the view
      </a>
      <Rail />
      <div className={style.place}>
        <Offline />
        <Suspense fallback={<Loading />}>
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
        </Suspense>
      </div>
      <Toasts />
    </div>
  )
}

function Rail() {
  return (
    <nav className={style.rail} aria-label="Views">
      <Brand />
      {views.map((view) => (
        <RailLink key={view.name} view={view} />
      ))}
    </nav>
  )
}

function RailLink({ view: { name, title, icon: Icon, place } }: { readonly view: View }) {
  const [location] = useLocation()
  const isHere = location === `/${name}` || location.startsWith(`/${name}/`)
  const badge = useBadge(name)
  return (
    <Link
      href={`/${name}`}
      className={style.link}
      data-place={place}
      aria-current={isHere ? 'page' : undefined}
    >
      <Icon aria-hidden="true" />
      <span>{title}</span>
      {badge !== undefined && <small>{badge}</small>}
    </Link>
  )
}

function useBadge(name: string): number | undefined {
  const isAsked = name === 'chat'
  const { data } = useRead<{ waiting: { approvals: number } }>(
    '/api/status',
    {},
    { enabled: isAsked, on: ['approval'] },
  )
  return isAsked ? data?.waiting.approvals || undefined : undefined
}

function Offline() {
  const isConnected = useIsConnected()
  return isConnected ? null : (
    <p className={style.offline} role="status">
      Mainstem does not answer. Trying again…
    </p>
  )
}
