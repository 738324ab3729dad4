import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    testTimeout: 120_000,
    pool: 'forks',
    // By itself it leaves one core of two to nobody, and the whole takes twice as long.
    maxWorkers: 2,
    projects: [
      // What stands beside its source changes nothing that others see: it shares a process, and loads once.
      {
        extends: true,
        test: { name: 'units', include: ['src/**/*.test.ts'], isolate: false },
      },
      { extends: true, test: { name: 'whole', include: ['test/**/*.test.ts'] } },
    ],
  },
})
