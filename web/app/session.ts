import { useEffect, useState } from 'react'
import { ApiError, post } from '../api/client.ts'
import { queries, reading } from '../api/query.ts'
import { stream } from '../api/stream.ts'

export type Session =
  | { readonly kind: 'asking' }
  | { readonly kind: 'in' }
  | { readonly kind: 'out'; readonly problem?: string }

/** Signs in with the code in the address, if there is one, and notices when the session ends. */
export function useSession(): Session {
  const [session, setSession] = useState<Session>(likely)
  useEffect(() => {
    void enter().then(setSession)
    const reload = (): void => location.reload()
    addEventListener('hashchange', reload)
    const unwatch = queries.getQueryCache().subscribe(({ query }) => {
      const { error } = query.state
      if (error instanceof ApiError && error.status === 401) setSession({ kind: 'out' })
    })
    // Another browser, or a command, may have ended the session: then the stream is cut.
    const unlisten = stream.listen(({ kind }) => {
      if (kind === 'lost') void queries.refetchQueries({ queryKey: ['/api/status'] })
    })
    return () => {
      removeEventListener('hashchange', reload)
      unwatch()
      unlisten()
    }
  }, [])
  useEffect(() => {
    if (session.kind === 'in') localStorage.setItem(KNOWN, 'yes')
    if (session.kind === 'out') localStorage.removeItem(KNOWN)
  }, [session])
  return session
}

const KNOWN = 'mainstem-signed-in'

/** Who was signed in here before sees the page at once, instead of after an answer. */
function likely(): Session {
  return { kind: location.hash === '' && localStorage.getItem(KNOWN) !== null ? 'in' : 'asking' }
}

let entering: Promise<Session> | undefined

function enter(): Promise<Session> {
  entering ??= signIn().catch((error: Error) => ({ kind: 'out', problem: error.message }))
  return entering
}

async function signIn(): Promise<Session> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  // First: neither the history nor a bookmark keeps the code.
  if (location.hash !== '') history.replaceState(null, '', location.pathname)
  if (code !== null) await post('/api/sign-in', { code })
  const problem = await queries.fetchQuery({ ...reading('/api/status'), retry: false }).then(
    () => undefined,
    (error: ApiError) => error,
  )
  if (problem?.status === 401) return { kind: 'out' }
  if (problem !== undefined) throw problem
  stream.start()
  return { kind: 'in' }
}

export async function signOut(): Promise<void> {
  await post('/api/sign-out', {})
  localStorage.removeItem(KNOWN)
  location.assign('/')
}
