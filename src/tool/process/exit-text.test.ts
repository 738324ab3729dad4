import { expect, test } from 'vitest'
import { exitText } from './exit-text.ts'

test.each([
  [0, null, 'exit code 0'],
  [3, null, 'exit code 3'],
  [127, null, 'exit code 127 (something it needs was not found)'],
  [129, null, 'exit code 129'],
  [137, null, 'killed by SIGKILL (exit code 137)'],
  [null, 'SIGKILL', 'killed by SIGKILL (exit code 137)'],
  [null, 'SIGSEGV', 'killed by SIGSEGV (exit code 139)'],
  [null, null, 'ended without an exit code'],
])('code %j and signal %j mean: %s', (code, signal, text) => expect(exitText({ code, signal })).toBe(text))
