import { EventEmitter } from 'node:events'
import { render, Text } from 'ink'
import { createElement } from 'react'
import { expect, test } from 'vitest'
import { later } from './later.tsx'

const text = (words: string) => createElement(Text, null, words)

test('code that comes after its place was drawn, but before the effects of that, is shown', async () => {
  const View = later(async () => ({ default: () => text('the view') }), text('Loading…'))
  /** The code is on its way, and is here before React runs effects. */
  const Page = () => {
    void View.load()
    return createElement(View)
  }
  const written: string[] = []
  const stdout = Object.assign(new EventEmitter(), {
    columns: 80,
    write: (words: string) => written.push(words),
  }) as unknown as NodeJS.WriteStream
  const { unmount } = render(createElement(Page), {
    stdout,
    debug: true,
    patchConsole: false,
    concurrent: true,
  })
  await expect.poll(() => written.join('\n')).toContain('the view')
  unmount()
})
