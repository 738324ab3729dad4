import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { routesOf } from '../../src/server/app.ts'
import { serving } from './stage.ts'

describe('/healthz', () => {
  test('[DOOR1] is open by the names of this machine, and closed by that of PUBLIC_URL', async () => {
    const { ask, bearer } = await serving({ settings: { PUBLIC_URL: 'https://mainstem.example' } })
    expect(await ask('/healthz')).toMatchObject({ status: 200, json: { isAlive: true } })
    const host = 'mainstem.example'
    expect((await ask('/healthz', { headers: { host } })).status).toBe(401)
    expect((await ask('/healthz', { headers: { host, ...bearer } })).status).toBe(200)
  })
})

describe('/readyz', () => {
  test('[DOOR1] is a bare 200 to anybody by the names of this machine, and closed by that of PUBLIC_URL', async () => {
    const { ask, bearer } = await serving({ settings: { PUBLIC_URL: 'https://mainstem.example' } })
    expect(await ask('/readyz')).toMatchObject({ status: 200, text: '' })
    const host = 'mainstem.example'
    expect((await ask('/readyz', { headers: { host } })).status).toBe(401)
    expect((await ask('/readyz', { headers: { host, ...bearer } })).status).toBe(200)
  })

  test('tells of the log and the channels with the token', async () => {
    const { ask, bearer, life } = await serving()
    const position = await life.log.read(({ end }) => end)
    expect(await ask('/readyz', { headers: bearer })).toMatchObject({
      status: 200,
      json: { position, channels: [{ name: 'terminal', isUp: true, isAttended: false }] },
    })
  })

  test('is 503 once the log is closed', async () => {
    const { ask, bearer, life } = await serving()
    await life.close()
    expect(await ask('/readyz')).toMatchObject({ status: 503, text: '' })
    const answer = await ask('/readyz', { headers: bearer })
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    expect(answer.problem).toBe('The log is closed: this process is about to end.')
  })
})

describe('/metrics', () => {
  test('needs the token, and counts turns, tokens, cost and deliveries once, from the start on', async () => {
    const { ask, bearer, say } = await serving()
    expect((await ask('/metrics')).status).toBe(401)
    await say('hello')
    const first = await metrics()
    expect(first).toMatchObject({
      'mainstem_turns_total{outcome="answered"}': 1,
      mainstem_turn_seconds_count: 1,
      'mainstem_model_calls_total{model="offline",result="answered"}': 1,
      mainstem_model_call_seconds_count: 1,
      'mainstem_tokens_total{model="offline",kind="in"}': expect.any(Number),
      'mainstem_cost_dollars_total{model="offline"}': 0,
      'mainstem_outbox_depth{channel="terminal"}': 1,
      'mainstem_channel_up{channel="terminal"}': 1,
      mainstem_event_loop_lag_seconds: expect.any(Number),
    })
    expect(await metrics()).toMatchObject({ 'mainstem_turns_total{outcome="answered"}': 1 })
    await say('again')
    expect(await metrics()).toMatchObject({ 'mainstem_turns_total{outcome="answered"}': 2 })

    async function metrics(): Promise<Record<string, number>> {
      const { text, headers } = await ask('/metrics', { headers: bearer })
      expect(headers['content-type']).toContain('text/plain')
      const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
      return Object.fromEntries(
        lines.map((line) => line.split(/ (?=[^ ]+$)/)).map(([name, value]) => [name, Number(value)]),
      )
    }
  })
})

describe('/api/openapi.json', () => {
  test('is valid OpenAPI 3.1 and describes every route', async () => {
    const { ask, bearer } = await serving()
    expect((await ask('/api/openapi.json')).status).toBe(401)
    const { json } = await ask('/api/openapi.json', { headers: bearer })
    const { valid, errors } = await new Validator().validate(structuredClone(json))
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
    const described = Object.entries(json['paths'] as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const routes = routesOf({} as Parameters<typeof routesOf>[0])
    const all = routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    expect(described.toSorted()).toEqual(all.toSorted())
    expect(new Set(all).size).toBe(all.length)
  })

  test('says how to call a route, what it needs, and the form of its answer', async () => {
    const { ask, bearer } = await serving()
    const { json } = await ask('/api/openapi.json', { headers: bearer })
    const paths = json['paths'] as Record<string, Record<string, object>>
    expect(paths['/api/sign-in']?.['post']).toMatchObject({
      operationId: 'post-api-sign-in',
      security: [],
      requestBody: { content: { 'application/json': { schema: { required: ['code'] } } } },
    })
    expect(paths['/api/hello']?.['get']).toMatchObject({
      security: [{ token: [] }, { session: [] }],
      responses: { 200: { content: { 'application/json': { schema: { type: 'object' } } } } },
    })
    expect(paths['/api/sessions/{id}']?.['delete']).toMatchObject({
      parameters: [{ in: 'path', name: 'id', required: true, schema: { type: 'string' } }],
    })
  })
})
