import type { z } from 'zod'
import type { Happening } from '../../event/happening.ts'
import type { reads } from '../../server/read/reads.ts'
import type { OwnerClient } from '../socket.ts'

type Read = (typeof reads)[number]
type ReadAt<Path> = Extract<Read, { readonly path: Path }>

/** The addresses of views. */
export type ReadPath = Read['path']
export type Query<Path extends ReadPath> = z.input<ReadAt<Path>['query']>
export type Answer<Path extends ReadPath> = z.output<ReadAt<Path>['answer']>

/** What comes on the stream. An event is as an export has it; `cut`: too slow, resume after this position. */
export type Streamed =
  | { readonly kind: 'opened' | 'cut'; readonly position: number }
  | { readonly kind: 'event'; readonly position: number; readonly event: LoggedEvent }
  | { readonly kind: 'happening'; readonly happening: Exclude<Happening, { kind: 'changed' }> }

export interface LoggedEvent {
  readonly position: number
  /** ISO */
  readonly at: string
  readonly branch: string
  readonly kind: string
  readonly [field: string]: unknown
}

/** Reads views and the stream of a running mainstem, with the types that the server checks. */
export function reader(owner: OwnerClient) {
  return {
    /** `read('/api/log', { after: 12 })`; a path with names in it gets them as `params`. */
    read: <Path extends ReadPath>(
      path: Path,
      query: Query<Path> = {} as Query<Path>,
      { params = {}, signal }: { params?: Readonly<Record<string, string>>; signal?: AbortSignal } = {},
    ): Promise<Answer<Path>> => {
      const given = Object.entries(query).filter(([, value]) => value !== undefined)
      const asked = given.map(([name, value]) => [name, String(value)] as [string, string])
      const named = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
      return owner.call('GET', `${named}?${new URLSearchParams(asked).toString()}`, {
        ...(signal && { signal }),
      })
    },
    /** Every event after a position, and what happens meanwhile, until the server ends it or the signal comes. */
    stream: async function* (after: number | 'now', signal: AbortSignal): AsyncGenerator<Streamed> {
      for await (const { event: kind, data } of owner.stream(`/api/stream?after=${after}`, signal)) {
        if (kind === 'event')
          yield { kind, position: (data as LoggedEvent).position, event: data as LoggedEvent }
        else if (kind === 'happening')
          yield { kind, happening: data as Exclude<Happening, { kind: 'changed' }> }
        else if (kind === 'opened' || kind === 'cut') yield { kind, ...(data as { position: number }) }
      }
    },
  }
}
