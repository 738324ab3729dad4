import { expect, test } from 'vitest'
import { TerminalGrid } from '../../../../test/stand-ins/terminal-grid.ts'
import { eraseRewrapped } from './screen.ts'

const long = 'x'.repeat(50)

/** What a terminal of 20 columns shows once it has wrapped again what was written for 60. */
function rewrapped(lines: readonly string[], up: number, column: number): TerminalGrid {
  const grid = new TerminalGrid(20, 16)
  grid.write(`› said before\n${lines.join('\n')}\n`)
  grid.write(`\u001B[${up}A\u001B[${column + 1}G`)
  return grid
}

test('a frame whose lines were wrapped again is erased whole, and nothing above it', () => {
  const lines = [`\u001B[2m${long}\u001B[22m`, '电'.repeat(25), '│ ab', `╰─ ${long}`]
  const grid = rewrapped(lines, 4, 4)
  grid.write(eraseRewrapped({ lines, cursor: { x: 4, y: 2 } }, 20, 16))
  expect(grid.text()).toBe('› said before')
  // As far below the top of the frame as it was: the next erasure goes up by that.
  expect(grid.cursor()).toMatchObject({ x: 0, y: 1 + 2 })
})

test('the row of the cursor may have been wrapped too', () => {
  const lines = ['╭─ main', `│ ${'y'.repeat(40)}`, '╰─ status']
  const grid = rewrapped(lines, 2, 2)
  grid.write(eraseRewrapped({ lines, cursor: { x: 42, y: 1 } }, 20, 16))
  expect(grid.text()).toBe('› said before')
})

test('lines that still fit are erased as they were written', () => {
  const lines = ['', '╭─ main', '│ a', '╰─ status']
  const grid = rewrapped(lines, 2, 3)
  grid.write(eraseRewrapped({ lines, cursor: { x: 3, y: 2 } }, 20, 16))
  expect(grid.text()).toBe('› said before')
  expect(grid.cursor()).toMatchObject({ x: 0, y: 3 })
})

test('without a cursor there is nothing to find the frame by', () =>
  expect(eraseRewrapped({ lines: ['a'], cursor: undefined }, 20, 16)).toBe(''))
