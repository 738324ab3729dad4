import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 120_000,
    pool: 'forks',
    // By itself it leaves one core of two to nobody, and the whole takes twice as long.
    maxWorkers: 2,
  },
})
