import { Live, type Happening, type LogEvent, type StreamItem } from './live.ts'

/**
 * What happens, from the server's one stream. Browsers open few connections to one server, so the tabs share it: the one
 * that holds a lock reads the stream and tells the others; when it closes, another gets the lock and resumes.
 */
class SharedStream {
  readonly live = new Live()
  readonly #listeners = new Set<(item: StreamItem) => void>()
  readonly #tabs = new BroadcastChannel('mainstem-stream')
  #position: number | undefined
  #source: EventSource | undefined
  #isLeading = false
  #failures = 0

  /** Once somebody is signed in. */
  start(): void {
    this.#tabs.addEventListener('message', ({ data }: MessageEvent<StreamItem | { kind: 'hello' }>) => {
      if (data.kind === 'hello') this.#welcome()
      else if (!this.#isLeading) this.#take(data)
    })
    this.#tabs.postMessage({ kind: 'hello' })
    // Held until the tab closes; the tab that waits is next.
    void navigator.locks.request('mainstem-stream', () => {
      this.#isLeading = true
      this.#open()
      return new Promise<never>(() => undefined)
    })
  }

  /** Returns what ends it. */
  listen(listener: (item: StreamItem) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #open(): void {
    const source = new EventSource(`/api/stream?after=${this.#position ?? 'now'}`)
    this.#source = source
    const on = (name: string, told: (data: unknown) => StreamItem): void =>
      source.addEventListener(name, ({ data }: MessageEvent<string>) => this.#tell(told(JSON.parse(data))))
    on('opened', (data) => {
      this.#failures = 0
      return { kind: 'connected', position: (data as { position: number }).position }
    })
    on('event', (event) => ({ kind: 'event', event: event as LogEvent }))
    on('happening', (happening) => ({ kind: 'happening', happening: happening as Happening }))
    source.addEventListener('cut', () => this.#reopen())
    source.addEventListener('error', () => {
      this.#tell({ kind: 'lost' })
      // Otherwise the browser tries again by itself.
      if (source.readyState === EventSource.CLOSED) this.#reopen()
    })
  }

  #reopen(): void {
    this.#source?.close()
    const waitMs = Math.min(10_000, 500 * 2 ** this.#failures++)
    setTimeout(() => this.#open(), waitMs)
  }

  /** A tab that has just opened needs to know what runs. */
  #welcome(): void {
    if (!this.#isLeading || this.#position === undefined) return
    this.#tabs.postMessage({ kind: 'connected', position: this.#position } satisfies StreamItem)
    for (const item of this.live.soFar()) this.#tabs.postMessage(item)
    if (!this.live.isConnected.get()) this.#tabs.postMessage({ kind: 'lost' } satisfies StreamItem)
  }

  #tell(item: StreamItem): void {
    this.#tabs.postMessage(item)
    this.#take(item)
  }

  #take(item: StreamItem): void {
    if (item.kind === 'connected') this.#position ??= item.position
    if (item.kind === 'event') {
      // Told already, before the tab that led went away.
      if (item.event.position <= (this.#position ?? 0)) return
      this.#position = item.event.position
    }
    this.live.take(item)
    for (const listener of this.#listeners) listener(item)
  }
}

export const stream = new SharedStream()
