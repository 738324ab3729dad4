import { z } from 'zod'
import type { JsonObject } from '../base/json.ts'
import { may } from '../command/read/rights.ts'
import { PROGRAM_VERSION } from '../event/format.ts'
import { rawBody, route, type Route } from './contract/route.ts'

/** Describes the API in the words of the routes themselves, so that it cannot say anything else. */
export function openApiRoute(routes: () => readonly Route[]): Route {
  return route('GET /api/openapi.json', {
    summary: 'This description of the API (OpenAPI 3.1)',
    answer: z.looseObject({}),
    handle: async () => openApi(routes()),
  })
}

function openApi(routes: readonly Route[]): JsonObject {
  const byPath = Map.groupBy(routes, ({ path }) => path.replaceAll(/:(\w+)/g, '{$1}'))
  const paths = Array.from(byPath, ([path, own]) => [
    path,
    Object.fromEntries(own.map((one) => [one.method.toLowerCase(), operation(one)])),
  ])
  return {
    openapi: '3.1.0',
    info: { title: 'Mainstem', version: PROGRAM_VERSION, description: ABOUT },
    servers: [{ url: '/' }],
    paths: Object.fromEntries(paths) as JsonObject,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token of the home.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'mainstem-PORT',
          description: 'A browser that signed in.',
        },
      },
      responses: { error: answerOf('Why not', errorForm) },
    },
  }
}

const ABOUT =
  'On the socket of the process every route is served, without a token. Over the network each says what it needs.'

const errorForm = z.strictObject({ error: z.looseObject({ message: z.string() }) })

/** What a request needs over the network. */
function needsOf(route: string): { readonly note?: string; readonly security: readonly JsonObject[] } {
  if (may('hook', { route })) return { security: [], note: 'It asks for a secret of its own.' }
  if (may('neighbour', { route }))
    return { security: [], note: 'By the name of PUBLIC_URL it needs the token or a session.' }
  if (may('token', { route })) return { security: [{ token: [] }, { session: [] }] }
  if (may('page', { route })) return { security: [{ session: [] }], note: 'A token may not do this.' }
  return { security: [], note: 'Served on the socket only.' }
}

function operation({ method, path, summary, query, body, answer }: Route): JsonObject {
  const { security, note } = needsOf(`${method} ${path}`)
  const named = Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => parameter('path', name, z.string()))
  const asked = Object.entries<z.ZodType>(query?.shape ?? {}).map((one) => parameter('query', ...one))
  return {
    operationId: `${method} ${path}`
      .toLowerCase()
      .replaceAll(/[^a-z\d]+/g, '-')
      .replace(/-$/, ''),
    summary,
    ...(note !== undefined && { description: note }),
    security,
    ...(named.length + asked.length > 0 && { parameters: [...named, ...asked] }),
    ...(body && { requestBody: { required: true, content: contentOf(body) } }),
    responses: {
      200:
        answer === undefined
          ? { description: 'A stream, or an answer without a fixed form' }
          : answerOf('Done', answer),
      default: { $ref: '#/components/responses/error' },
    },
  }
}

/** A parameter is required if its schema refuses `undefined`. */
function parameter(where: 'path' | 'query', name: string, schema: z.ZodType): JsonObject {
  return { in: where, name, required: !schema.safeParse(undefined).success, schema: jsonSchema(schema) }
}

function answerOf(description: string, schema: z.ZodType): JsonObject {
  return { description, content: contentOf(schema) }
}

function contentOf(schema: z.ZodType): JsonObject {
  return schema === rawBody
    ? { 'application/octet-stream': {} }
    : { 'application/json': { schema: jsonSchema(schema) } }
}

/** The form that clients send and get, before defaults are filled in. */
function jsonSchema(schema: z.ZodType): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return json as JsonObject
}
