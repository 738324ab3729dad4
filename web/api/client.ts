import { noteServerTime } from './now.ts'
import { noteZone } from './zone.ts'

/** What the server refused, or that it does not answer. The message is a sentence for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** 0: no answer at all. */
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>

/** What is undefined or null is left out. */
export function addressOf(path: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}

export function get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  return call(addressOf(path, query), signal === undefined ? {} : { signal })
}

export function post<T>(path: string, body: unknown): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  return call(path, { method: 'POST', headers, body: JSON.stringify(body) })
}

export function remove<T>(path: string): Promise<T> {
  return call(path, { method: 'DELETE' })
}

/** Any other request, such as an upload. */
export async function call<T>(address: string, init: RequestInit): Promise<T> {
  const response = await fetch(address, init).catch((error: unknown) => {
    if ((error as Error).name === 'AbortError') throw error
    throw new ApiError(0, 'Mainstem does not answer. Is it running?')
  })
  noteServerTime(response.headers.get('date'))
  noteZone(response.headers.get('mainstem-zone'))
  const answer = (await response.json().catch(() => undefined)) as T & { error?: { message?: string } }
  if (response.ok) return answer
  throw new ApiError(response.status, answer?.error?.message ?? `The server answered ${response.status}.`)
}
