import { expect, test } from 'vitest'
import { isView, pageAt } from './pages.ts'

test.each([
  '/../../package.json',
  '/assets/../../../package.json',
  '/..%2f..%2fpackage.json',
  '/index.html/../../../package.json',
  '//etc/passwd',
  '/assets',
  '/assets/',
  '/Index.html',
  'index.html',
  '/\0',
])(
  '[DOOR4] the address %j leads to no file: it is looked up among names, and never becomes a path',
  (address) => expect(pageAt(address, true)).toBeUndefined(),
)

function kept(address: string, mayKeep: boolean): string | null | undefined {
  return pageAt(address, mayKeep)?.headers.get('cache-control')
}

test('[DOOR6] only who is signed in keeps files of the page, and only those whose name has a hash', async () => {
  const index = await pageAt('/', true)?.text()
  const [asset = ''] = /\/assets\/[\w.-]+\.js/.exec(index ?? '') ?? []
  expect(kept(asset, true)).toBe('private, max-age=31536000, immutable')
  expect([kept(asset, false), kept('/', true), kept('/icon.svg', true)]).toEqual([null, null, null])
})

test('[DOOR6] a view is a view in one spelling', () => {
  for (const view of ['/', '/?a', '/chat', '/chat/br_1?at=2', '/settings/models'])
    expect(isView(view)).toBe(true)
  for (const other of ['/Chat', '/chats', '/api/hello', '//chat', '/x/chat'])
    expect(isView(other)).toBe(false)
})
