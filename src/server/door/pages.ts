import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../../assets/page/', import.meta.url))

/** All files that are served: an address is looked up here and never becomes a path. */
export const pages: Readonly<Record<string, () => Response>> = {
  '/': page('index.html', 'text/html'),
  '/page.css': page('page.css', 'text/css'),
  '/page.js': page('page.js', 'text/javascript'),
  '/icon.svg': page('icon.svg', 'image/svg+xml'),
}

function page(name: string, type: string): () => Response {
  let text: string | undefined
  return () => {
    text ??= readFileSync(`${folder}${name}`, 'utf8')
    return new Response(text, { headers: { 'content-type': `${type}; charset=utf-8` } })
  }
}

/** For every answer over the network. The page needs no inline script, and nobody may show it in a frame. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
}
