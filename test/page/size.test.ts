import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

test('all JavaScript of the page is at most 250 kB, compressed', () => {
  const files = globSync(join(import.meta.dirname, '../../build/page/assets/*.js'))
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0)
  expect(files.length).toBeGreaterThan(0)
  expect(bytes).toBeLessThanOrEqual(250_000)
})
