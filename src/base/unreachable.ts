import { AssertionError } from './assert.ts'

/** Ends every switch over a union: a new member that is not handled is a type error here. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${JSON.stringify(value)}`)
}
