import { X } from 'lucide-react'
import { Component, useEffect, useRef, type ReactNode } from 'react'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import { useIsConnected } from '../api/query.ts'
import { useStore } from '../api/store.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Empty, Loading, Problem } from '../ui/surface.tsx'
import { dismiss, toasts } from '../ui/toast.ts'
import ui from '../ui/ui.module.css'
import style from './app.module.css'
import { keyList, useKeys } from './keys.ts'
import { later } from './later.tsx'
import { hide, overlay } from './overlay.ts'
import { Page } from './Page.tsx'
import { Brand, Rail } from './Rail.tsx'
import { views } from './routes.tsx'
import { useSession } from './session.ts'

export function App() {
  const session = useSession()
  if (session.kind === 'asking') return <Loading />
  if (session.kind === 'out') return <SignIn problem={session.problem} />
  return <Shell />
}

function SignIn({ problem }: { problem: string | undefined }) {
  return (
    <main className={`${ui.card} ${style.signIn}`}>
      <Brand />
      <h1>Sign in</h1>
      {problem !== undefined && <Problem error={problem} retry={() => location.reload()} />}
      <p>On the machine where Mainstem runs, type this and open the link that it prints:</p>
      <pre>mainstem open</pre>
      <p data-tone="dim">A link works once, for ten minutes.</p>
    </main>
  )
}

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
      <div className={ui.column}>
        {!useIsConnected() && (
          <p className={ui.banner} role="status">
            Mainstem does not answer. Trying again…
          </p>
        )}
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

function Toasts() {
  return (
    <div className={style.toasts} role="status">
      {useStore(toasts).map(({ id, text, tone }) => (
        <div key={id} className={`${ui.over} ${style.toast}`} data-tone={tone}>
          <p>{text}</p>
          <Button look="bare" small aria-label="Close" onClick={() => dismiss(id)}>
            <X />
          </Button>
        </div>
      ))}
    </div>
  )
}

/** It is loaded when somebody opens it. */
const Palette = later(() => import('./Palette.tsx'), null)

function Overlays() {
  const shown = useStore(overlay)
  if (shown === 'palette') return <Palette />
  return shown === 'keys' ? <KeyList /> : null
}

function KeyList() {
  return (
    <Dialog title="Keys" onClose={hide}>
      <dl className={`${ui.rows} ${style.keys}`}>
        {keyList.map(([help, ...keys]) => (
          <div key={help}>
            <dt>{help}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}

interface Props {
  /** Another place is a new try. */
  readonly at: string
  readonly children: ReactNode
}

/** A bug in one view does not take the others with it. */
class Boundary extends Component<Props, { readonly error: Error | undefined }> {
  override state = { error: undefined as Error | undefined }

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error }
  }

  override componentDidUpdate(before: Props): void {
    if (before.at !== this.props.at && this.state.error !== undefined) this.setState({ error: undefined })
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <Page title="A bug">
        <Empty title="This view has a bug">
          <p>{error.message}</p>
          <p>Nothing is lost: the view only shows what is in the log.</p>
          <Button look="main" onClick={() => location.reload()}>
            Load the page again
          </Button>
        </Empty>
      </Page>
    )
  }
}
