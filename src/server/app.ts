import { Hono, type Context } from 'hono'
import type { z } from 'zod'
import { capital, sentence } from '../base/words.ts'
import { PROGRAM_VERSION } from '../event/format.ts'
import { helloRoute } from './api/hello.ts'
import { Refusal, type Route, type RouteCall, type Served } from './contract/route.ts'

/** Everything the server answers to. */
const routes: readonly Route[] = [helloRoute]

/** `fail` is told of a bug. */
export function createApp(served: Served, via: RouteCall['via'], fail: (error: unknown) => void): Hono {
  const app = new Hono()
  app.notFound((context) => refuse(context, new Refusal(404, 'There is nothing at this address.')))
  app.onError((error, context) => {
    if (error instanceof Refusal) return refuse(context, error)
    fail(error)
    return context.json({ error: { message: 'This is a bug in mainstem; its log says more.' } }, 500)
  })
  for (const route of routes) app.on(route.method, route.path, (context) => answer(context, route))
  return app

  async function answer(context: Context, route: Route): Promise<Response> {
    checkVersion(context)
    const query = checked(route.query, context.req.query(), 'The address')
    const body = route.body && checked(route.body, await jsonIn(context), 'The body')
    const call = { served, query, body, params: context.req.param(), via, request: context.req.raw }
    const value = await route.handle(call)
    return value instanceof Response ? value : context.json(value ?? {})
  }
}

function refuse(context: Context, { status, message }: Refusal): Response {
  return context.json({ error: { message } }, status)
}

/** Only our own clients name a version. Another one may mean something else by the same words. */
function checkVersion(context: Context): void {
  const version = context.req.header('mainstem-version')
  if (version === undefined || version === PROGRAM_VERSION) return
  throw new Refusal(
    409,
    `This command is mainstem ${version}, and the one that runs (process ${process.pid}) is ${PROGRAM_VERSION}. ` +
      'Restart the one that runs if it is the older one; otherwise update this command.',
  )
}

async function jsonIn(context: Context): Promise<unknown> {
  try {
    return await context.req.json()
  } catch {
    throw new Refusal(400, 'The body is not JSON.')
  }
}

function checked(schema: z.ZodType | undefined, value: unknown, what: string): unknown {
  if (schema === undefined) return undefined
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const problems = error.issues.map(({ path, message }) => `${path.join('.')}: ${capital(message)}`)
  throw new Refusal(400, sentence(`${what} is wrong: ${problems.join('; ')}`))
}
