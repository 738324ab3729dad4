import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Files in memory are written many times as fast, where the system has room for them. */
function quickFolder(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    if (bavail * bsize > 2 ** 32) return '/dev/shm'
  } catch {
    // Not every system has it.
  }
  return tmpdir()
}

const folder = quickFolder()

export default defineConfig({
  test: {
    // Only what hangs is to fail, however slow the machine is.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 600_000,
    expect: { poll: { interval: 10, timeout: 300_000 } },
    globalSetup: ['test/page/build-page.ts', 'test/box/install.ts'],
    setupFiles: ['test/rounds.ts'],
    // Programs that tests start are compiled once.
    env: { TZ: 'UTC', TMPDIR: folder, NODE_COMPILE_CACHE: join(folder, 'node-compile-cache') },
    pool: 'forks',
    // Many tests wait for other processes: two cores have time for a third.
    maxWorkers: 3,
    projects: [
      // What stands beside its source changes nothing that others see: it shares a process, and loads once.
      {
        extends: true,
        test: { name: 'units', include: ['src/**/*.test.ts', 'web/**/*.test.ts'], isolate: false },
      },
      { extends: true, test: { name: 'whole', include: ['test/**/*.test.ts'], isolate: false } },
    ],
  },
})
