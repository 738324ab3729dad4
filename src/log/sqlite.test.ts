import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { pragma } from './sqlite-schema.ts'
import { openSqliteStore } from './sqlite.ts'

test('[LOG3] a commit waits for the disk: what a killed process cannot show, a power cut would', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mainstem-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const holder = { command: 'test', pid: process.pid, since: 0 }
  const store = openSqliteStore({ file: join(folder, 'log.db'), projections: [], holder })
  const FULL = 2
  expect(pragma(store.db, 'synchronous')).toBe(FULL)
  expect(pragma(store.db, 'journal_mode')).toBe('wal')
  store.close()
})
