import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { addresses, addressKey, unsettled } from '../../agent/state/outbox.ts'
import type { EventOf, Kind } from '../../event/event.ts'
import type { Served } from '../contract/route.ts'

const LAG_STEP_MS = 20
const SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600]

/** Counts since the start of this process. They come from the log, which is read on when somebody asks. */
export class Metrics {
  readonly #served: Served
  readonly #registry = new Registry()
  readonly #turns = this.#counter('turns', 'Turns that ended', ['outcome'])
  readonly #turnSeconds = this.#histogram('turn', 'How long turns took')
  readonly #calls = this.#counter('model_calls', 'Calls of models', ['model', 'result'])
  readonly #callSeconds = this.#histogram('model_call', 'How long models took to answer')
  readonly #tokens = this.#counter('tokens', 'Tokens that were used', ['model', 'kind'])
  readonly #cost = this.#counter('cost_dollars', 'Estimated cost', ['model'])
  readonly #deliveries = this.#counter('deliveries', 'Messages that were sent', ['result'])
  /** The start times of turns and calls that still run. */
  readonly #begun = new Map<string, number>()
  readonly #counts: { readonly [K in Kind]?: (event: EventOf<K>) => void } = {
    'turn-started': ({ turn, at }) => this.#begun.set(turn, at),
    'turn-ended': ({ turn, outcome, at }) => {
      this.#turns.inc({ outcome })
      this.#took(this.#turnSeconds, turn, at)
    },
    'model-called': (event) => this.#begun.set(callKey(event), event.at),
    'model-answered': (event) => {
      this.#took(this.#callSeconds, callKey(event), event.at)
      this.#used(event)
    },
    'model-failed': (event) => {
      this.#begun.delete(callKey(event))
      this.#calls.inc({ model: 'unknown', result: 'failed' })
    },
    'model-used': (event) => this.#used(event),
    'delivery-done': () => this.#deliveries.inc({ result: 'done' }),
    'delivery-failed': () => this.#deliveries.inc({ result: 'failed' }),
  }
  /** The position up to which events are counted. */
  #read: number
  #reading: Promise<void> = Promise.resolve()

  constructor(served: Served) {
    this.#served = served
    this.#read = served.life.begunAfter
    const { channels, stateOf } = served.life
    this.#gauge('channel_up', 'Whether a channel works', (gauge) => {
      for (const { name: channel } of channels) gauge.set({ channel }, Number(stateOf(channel).kind === 'up'))
    })
    this.#gauge('outbox_depth', 'Messages that wait to be sent', async (gauge) => {
      const depths = await served.life.log.read((reader) =>
        addresses(reader).map((to) => [to.channel, unsettled(reader, addressKey(to)).length] as const),
      )
      gauge.reset()
      for (const { name: channel } of channels) gauge.set({ channel }, 0)
      for (const [channel, depth] of depths) gauge.inc({ channel }, depth)
    })
    const lag = monitorEventLoopDelay({ resolution: LAG_STEP_MS })
    lag.enable()
    this.#gauge(
      'event_loop_lag_seconds',
      'How late work starts, 99th percentile since the last look',
      (gauge) => {
        gauge.set(Math.max(0, lag.percentile(99) / 1e9 - LAG_STEP_MS / 1e3) || 0)
        lag.reset()
      },
    )
    this.#gauge('resident_bytes', 'Memory of the process', (gauge) => gauge.set(process.memoryUsage.rss()))
    this.#gauge('cpu_seconds', 'Processor time of the process', (gauge) => {
      const { user, system } = process.cpuUsage()
      gauge.set((user + system) / 1e6)
    })
  }

  async answer(): Promise<Response> {
    // One after another: two that read the same events would count them twice.
    this.#reading = this.#reading.then(() => this.#readOn())
    await this.#reading
    return new Response(await this.#registry.metrics(), {
      headers: { 'content-type': this.#registry.contentType },
    })
  }

  async #readOn(): Promise<void> {
    for await (const event of this.#served.life.log.events({ after: this.#read })) {
      this.#counts[event.kind]?.(event as never)
      this.#read = event.position
    }
  }

  #took(histogram: Histogram, key: string, at: number): void {
    const begunAt = this.#begun.get(key)
    if (begunAt !== undefined) histogram.observe((at - begunAt) / 1_000)
    this.#begun.delete(key)
  }

  #used({ model, usage, cost }: EventOf<'model-answered' | 'model-used'>): void {
    this.#calls.inc({ model, result: 'answered' })
    this.#tokens.inc({ model, kind: 'in' }, usage.tokensIn)
    this.#tokens.inc({ model, kind: 'out' }, usage.tokensOut)
    this.#tokens.inc({ model, kind: 'cached' }, usage.tokensCached)
    this.#cost.inc({ model }, cost ?? 0)
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name: `mainstem_${name}_total`, help, labelNames, registers: [this.#registry] })
  }

  #histogram(name: string, help: string): Histogram {
    return new Histogram({
      name: `mainstem_${name}_seconds`,
      help,
      buckets: SECONDS,
      registers: [this.#registry],
    })
  }

  /** `look` sets the value when somebody asks for it. */
  #gauge(name: string, help: string, look: (gauge: Gauge) => void | Promise<void>): void {
    const [registers, labelNames] = [[this.#registry], ['channel']]
    const gauge: Gauge = new Gauge({
      name: `mainstem_${name}`,
      help,
      labelNames,
      registers,
      collect: () => look(gauge),
    })
  }
}

function callKey({ turn, call }: EventOf<'model-called' | 'model-answered' | 'model-failed'>): string {
  return `${turn} ${call}`
}
