import { expect, test } from 'vitest'
import { boxMaker } from '../../tool/process/boxes.ts'
import { unboxedText } from './home-boxes.ts'

const none = { mcp: { servers: {} }, transcriber: { url: null, program: [] } }
const some = { ...none, mcp: { servers: { demo: { command: 'demo' } } } }

function textFor(sandbox: 'auto' | 'required' | 'off', programs: typeof none | typeof some = some) {
  const values = { ...programs, sandbox } as unknown as Parameters<typeof unboxedText>[0]['values']
  return unboxedText({ values, skills: [], environment: { PATH: process.env['PATH'] } })
}

test('[BOX1] a home without programs needs no box', () => expect(textFor('off', none)).toBeUndefined())

test('[BOX1] it is said that programs run without a box, and why', () => {
  expect(textFor('off')).toMatch(/^programs run without a box, .*: sandbox is off$/)
  const hasBox = boxMaker(process.env['PATH'] ?? '').kind !== 'none'
  expect(textFor('auto') ?? '').toMatch(hasBox ? /^$/ : /^programs run without a box, /)
  expect(textFor('required') ?? '').toMatch(hasBox ? /^$/ : /^programs do not run, /)
})
