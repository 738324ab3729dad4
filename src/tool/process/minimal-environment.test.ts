import { expect, test } from 'vitest'
import { minimalEnvironment } from './minimal-environment.ts'

test('what programs need passes', () => {
  const needed = {
    PATH: '/bin',
    HOME: '/h',
    USER: 'u',
    LANG: 'C',
    LC_ALL: 'C',
    TZ: 'UTC',
    TERM: 'x',
    SystemRoot: 'C:\\W',
  }
  expect(minimalEnvironment(needed)).toEqual(needed)
})

test.each([
  'ANTHROPIC_API_KEY',
  'GITHUB_TOKEN',
  'DB_PASSWORD',
  'MAINSTEM_HOME',
  'MAINSTEM_KEYS_OPENAI',
  'AWS_PROFILE',
  'NODE_OPTIONS',
  'LD_PRELOAD',
  'BASH_ENV',
  'LC_SECRET_1',
  'PATH_TOKEN',
  'SSH_AUTH_SOCK',
])('%s does not pass', (name) =>
  expect(minimalEnvironment({ [name]: 'x', HOME: '/h' })).toEqual({ HOME: '/h' }),
)

test('what is undefined stays so', () => expect(minimalEnvironment({ HOME: undefined })).toEqual({}))
