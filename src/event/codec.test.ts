import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arbitraryDraft } from '../../test/arbitrary-event.ts'
import { checkDraft, EventError, fromLine, fromStored, readEvent, toLine, toStored } from './codec.ts'
import { eventSchema, kinds, type Draft, type Event } from './event.ts'
import { LOG_FORMAT } from './format.ts'
import type { Position } from './id.ts'
import { rounds } from '../../test/rounds.ts'

const placed = fc
  .tuple(arbitraryDraft, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }))
  .map(([draft, at]): Event => ({ ...checkDraft(draft), position: at as Position }))

test('[CTX1] an event comes back from the log as the same bytes', () => {
  fc.assert(
    fc.property(placed, (event) => {
      const stored = toStored(event)
      expect(toStored(fromStored(stored))).toEqual(stored)
    }),
    { numRuns: rounds(1_000) },
  )
})

test('[CTX1] an event comes back from its export line as the same bytes', () => {
  fc.assert(
    fc.property(placed, (event) => {
      expect(toLine(fromLine(toLine(event)))).toBe(toLine(event))
    }),
    { numRuns: rounds(1_000) },
  )
})

test('whatever a line holds, it is an event or an EventError', () => {
  const mutated = fc
    .tuple(placed.map(toLine), fc.nat(), fc.string({ unit: 'binary', maxLength: 5 }))
    .map(
      ([line, at, noise]) =>
        line.slice(0, at % line.length) + noise + line.slice((at % line.length) + noise.length),
    )
  const lines = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), mutated)
  fc.assert(
    fc.property(lines, (line) => {
      const event = eventOrError(() => fromLine(line))
      if (!(event instanceof EventError)) expect(toLine(fromLine(toLine(event)))).toBe(toLine(event))
    }),
    { numRuns: rounds(3_000) },
  )
})

test('whatever a stored body holds, it is an event or an EventError', () => {
  fc.assert(
    fc.property(placed, fc.oneof(fc.string(), fc.json()), (event, body) => {
      eventOrError(() => fromStored({ ...toStored(event), body }))
    }),
    { numRuns: rounds(1_000) },
  )
})

test('a draft with a missing, a wrong or an unknown field is refused and says which', () => {
  const draft = fc.sample(
    arbitraryDraft.filter(({ kind }) => kind === 'mark-set'),
    { numRuns: 1, seed: 1 },
  )[0] as Draft
  expect(() => checkDraft({ ...draft, name: 'two words' } as Draft)).toThrow(
    /name: a mark's name has 1 to 64/,
  )
  expect(() => checkDraft({ ...draft, extra: 1 } as unknown as Draft)).toThrow(/extra/)
  expect(() => checkDraft({ ...draft, author: undefined } as unknown as Draft)).toThrow(/author/)
  expect(() => checkDraft({ ...draft, kind: 'mark-erased' } as unknown as Draft)).toThrow(/mark-erased/)
})

test('[LOG5] an event of an old version is brought to the newest, step by step', () => {
  const old = { kind: 'mark-set', branch: 'br_0n5f8k2q1k3f9ab', at: 5, v: -1, label: 'A', by: 'person' }
  const known = {
    'mark-set': {
      [-1]: ({ label, ...rest }: Record<string, unknown>) => ({ ...rest, name: label }),
      0: ({ by, ...rest }: Record<string, unknown>) => ({ ...rest, author: { by } }),
    },
  }
  expect(readEvent(old, 7, known)).toMatchObject({ v: 1, name: 'A', author: { by: 'person' }, position: 7 })
  expect(() => readEvent({ ...old, v: 2 }, 7, known)).toThrow(EventError)
})

/** Formats 1 to 4 added kinds, a paragraph each; format 5 added fields, formats 6, 7 and 8 a kind each, format 9 several. Old lines stay. */
const KINDS = `
  branch-created branch-ended message-added turn-started turn-ended mark-set context-cleared context-compacted compaction-abandoned context-expanded context-saved context-undone context-redone

  content-kept inbound-admitted inbound-moved model-called model-answered model-failed command-run
  delivery-intended delivery-done delivery-failed delivery-part buttons-made preview-begun preview-shown preview-removed mail-sent mail-read conversation-bound setup-changed
  model-used policy-set spending-noted
  process-started import-closed

  call-decided approval-asked approval-decided proposal-done permission-granted permission-revoked
  memory-changed update-reported run-started run-sent-back fork-entered ping-decided

  job-scheduled job-fired job-skipped webhook-received run-rested jobs-paused jobs-resumed definition-judged zone-set
  budget-set ping-settled ping-answered notice-raised notices-told digest-sent

  person-added identity-linked identity-unlinked pairing-asked pairing-decided person-removed strangers-noted
  inbound-edited inbound-dropped`

test('[LOG5] the newest format is that of the kinds and versions this program writes', () => {
  expect(LOG_FORMAT, 'a new kind or version needs a new format').toBe(11)
  expect(kinds).toEqual(KINDS.trim().split(/\s+/))
  expect(new Set(eventSchema.options.map(({ shape }) => shape.v.unwrap().value))).toEqual(new Set([1]))
})

function eventOrError(work: () => Event): Event | EventError {
  try {
    return work()
  } catch (error) {
    if (error instanceof EventError) return error
    throw error
  }
}
