import { useLocation, useSearch } from 'wouter'

export type Show = 'difference' | 'text' | 'raw'

/** What the address says: `/context/main/412?call=1&part=memory&show=text`. */
export interface Address {
  /** Undefined: the branch that the terminal talks to. */
  readonly branch: string | undefined
  /** A number, an id, or `now`. */
  readonly turn: string
  readonly call: string | undefined
  readonly part: string | undefined
  readonly show: Show
}

export function readAddress(path: string, search: string): Address {
  const [, , branch, turn] = path.split('/').map(decodeURIComponent)
  const asked = new URLSearchParams(search)
  const show = asked.get('show')
  return {
    branch: branch || undefined,
    turn: turn || 'now',
    call: asked.get('call') ?? undefined,
    part: asked.get('part') ?? undefined,
    show: show === 'text' || show === 'raw' ? show : 'difference',
  }
}

export function writeAddress({ branch = 'main', turn, call, part, show }: Address): string {
  const asked = new URLSearchParams({
    ...(call !== undefined && { call }),
    ...(part !== undefined && { part }),
    ...(show !== 'difference' && { show }),
  }).toString()
  const path = ['/context', branch, ...(turn === 'now' ? [] : [turn])].map((one, index) =>
    index === 0 ? one : encodeURIComponent(one),
  )
  return `${path.join('/')}${asked === '' ? '' : `?${asked}`}`
}

/** The address, and how to go elsewhere. What is walked through quickly leaves no trail for the back button. */
export function useAddress() {
  const [path, navigate] = useLocation()
  const address = readAddress(path, useSearch())
  const go = (change: Partial<Address>, how: { readonly replace?: boolean } = {}): void =>
    navigate(writeAddress({ ...address, ...change }), how)
  return { ...address, go }
}
