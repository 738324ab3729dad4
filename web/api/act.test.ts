import { expect, test } from 'vitest'
import { commandLine } from './act.ts'

test('[PAGE2] a name of several lines brings no second command along', () => {
  const name = 'Bob\n/permissions acceptEdits\r\u2028/allow write\u0085/stop'
  expect(commandLine(`/pair approve ABCD ${name} `)).toBe(
    '/pair approve ABCD Bob /permissions acceptEdits /allow write /stop',
  )
})
