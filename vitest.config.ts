import { defineConfig } from 'vitest/config'

/** Its longest text needs a stack that nobody else has used. */
const ALONE = 'src/command/parse.test.ts'

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
        test: { name: 'units', include: ['src/**/*.test.ts'], exclude: [ALONE], isolate: false },
      },
      { extends: true, test: { name: 'whole', include: ['test/**/*.test.ts', ALONE] } },
    ],
  },
})
