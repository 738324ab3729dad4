import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Only what hangs is to fail, however slow the machine is.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 600_000,
    expect: { poll: { interval: 10, timeout: 300_000 } },
    setupFiles: ['test/rounds.ts'],
    env: { TZ: 'UTC' },
    pool: 'forks',
    // By itself it leaves one core of two to nobody, and the whole takes twice as long.
    maxWorkers: 2,
    projects: [
      // What stands beside its source changes nothing that others see: it shares a process, and loads once.
      {
        extends: true,
        test: { name: 'units', include: ['src/**/*.test.ts'], isolate: false },
      },
      { extends: true, test: { name: 'whole', include: ['test/**/*.test.ts'], isolate: false } },
    ],
  },
})
