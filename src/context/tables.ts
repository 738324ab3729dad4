import type { Column, Table } from '../event/table.ts'

const text = (name: string): Column => ({ name, type: 'text' })
const integer = (name: string): Column => ({ name, type: 'integer' })

/** One row per branch; everything a restart needs to know of it, messages apart. */
export const branchTable: Table = {
  name: 'branch',
  key: [text('id')],
  values: [
    text('mode'),
    text('title'),
    text('parent'),
    integer('forked_at'),
    integer('version'),
    text('redo'),
    text('state'),
    integer('held_since'),
  ],
}

/** Finds a branch by its handle, or by the beginning of it. */
export const handleTable: Table = { name: 'handle', key: [text('handle')], values: [text('branch')] }

/** One row: how many branches were ever made. */
export const countTable: Table = { name: 'count', key: [text('what')], values: [integer('count')] }

/**
 * Children by the branch they were forked from. Those that live name the one before and the one after them; the row at
 * 0 closes that ring. Those that have ended name none.
 */
export const childTable: Table = {
  name: 'child',
  key: [text('parent'), integer('forked_at')],
  values: [text('branch'), integer('before'), integer('after')],
}

/**
 * One row per message, so that a place is found and a range is counted by looking at its two ends. `ordinal` and
 * `tokens` run from the branch's first message; `open` is the number of calls without a result after this message.
 */
export const messageTable: Table = {
  name: 'message',
  key: [text('branch'), integer('position')],
  values: [integer('ordinal'), integer('tokens'), integer('open')],
}

export const markTable: Table = {
  name: 'mark',
  key: [text('branch'), integer('position')],
  values: [text('name')],
}

/** Every save by the branch that received it. */
export const saveTable: Table = {
  name: 'save',
  key: [text('target'), integer('position')],
  values: [text('source')],
}

export const contextTables: readonly Table[] = [
  branchTable,
  handleTable,
  countTable,
  childTable,
  markTable,
  saveTable,
]
