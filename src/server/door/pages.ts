import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What `npm run build:page` made of web/. */
const folder = fileURLToPath(new URL('../../../build/page/', import.meta.url))

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
}

/** The views of the page: each is the page itself, which then shows that view. */
const VIEWS = /^\/(?:(?:chat|context|river|background|memory|tasks|cost|settings)(?:\/[^?]*)?)?(?:\?|$)/

export function isView(address: string): boolean {
  return VIEWS.test(address)
}

/**
 * A file of the page. An address is looked up among the names that are there and never becomes a path. `mayKeep`: the
 * browser keeps what it gets, until it signs out.
 */
export function pageAt(address: string, mayKeep: boolean): Response | undefined {
  if (isView(address))
    return existsSync(join(folder, 'index.html')) ? file('index.html', mayKeep) : notBuilt()
  const name = names().find((one) => address === `/${one}`)
  return name === undefined ? undefined : file(name, mayKeep)
}

function names(): readonly string[] {
  if (!existsSync(folder)) return []
  const listed = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return listed.map((name) => name.replaceAll('\\', '/')).filter((name) => TYPES[extname(name)] !== undefined)
}

function file(name: string, mayKeep: boolean): Response {
  const headers = { 'content-type': `${TYPES[extname(name)]}; charset=utf-8` }
  // Its name has a hash of what it contains.
  const lasting = { 'cache-control': 'private, max-age=31536000, immutable' }
  return new Response(readFileSync(join(folder, name)), {
    headers: { ...headers, ...(mayKeep && name.startsWith('assets/') && lasting) },
  })
}

function notBuilt(): Response {
  return new Response("The page is not built. Run 'npm run build:page' in the folder of Mainstem.\n", {
    status: 503,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  })
}

/** For every answer over the network. The page needs no inline script, and nobody may show it in a frame. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'self'; img-src 'self' blob: data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
}
