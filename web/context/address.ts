import { useLocation, useSearch } from 'wouter'

export type Show = 'difference' | 'text' | 'raw'

/** The parts of the address: `/context/main/412?call=1&part=memory&show=text`. */
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
  })
  const path = [branch, ...(turn === 'now' ? [] : [turn])].map(encodeURIComponent).join('/')
  return `/context/${path}${asked.size === 0 ? '' : `?${asked}`}`
}

export type Go = (change: Partial<Address>, how?: { readonly replace: boolean }) => void

/** The address, and how to go elsewhere. */
export function useAddress(): { readonly address: Address; readonly go: Go } {
  const [path, navigate] = useLocation()
  const address = readAddress(path, useSearch())
  return { address, go: (change, how) => navigate(writeAddress({ ...address, ...change }), how) }
}
