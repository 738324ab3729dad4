import { describe, expect, test } from 'vitest'
import { FIRST_PERSON, HAS_NUMBER, HAS_TIME, IS_QUESTION, KIND_MASK } from '../contract/text-index.ts'
import { traitsOf } from './adding.ts'

describe('a text is', () => {
  test.each([
    ['Where did you buy that lamp?', true],
    ['Really? Where did you buy that lamp?', true],
    ['Hey Anna! Where did you buy that lamp?', true],
    ['I bought a lamp yesterday. Do you like it?', false],
    ['I bought a lamp.', false],
    ['', false],
  ])('a question and nothing else: %j %j', (text, is) => {
    expect((traitsOf(text) & IS_QUESTION) !== 0).toBe(is)
  })

  test.each([
    ['we met last week', true],
    ['see you on Tuesday', true],
    ['in 2019 we moved', true],
    ['at 5pm then', true],
    ['the meeting is in March', true],
    ['the 3rd of June', true],
    ['you may march there', false],
    ['I like the lamp', false],
  ])('about a time: %j %j', (text, is) => {
    expect((traitsOf(text) & HAS_TIME) !== 0).toBe(is)
  })

  test.each([
    ['we have 3 cats', true],
    ['we have three cats', true],
    ['we have cats', false],
  ])('about a number: %j %j', (text, is) => {
    expect((traitsOf(text) & HAS_NUMBER) !== 0).toBe(is)
  })

  test.each([
    ['I have a lamp', true],
    ["that's my lamp", true],
    ['Anna has a lamp', false],
  ])('about the one who speaks: %j %j', (text, is) => {
    expect((traitsOf(text) & FIRST_PERSON) !== 0).toBe(is)
  })

  test('its traits never touch the bits of its kind', () => {
    expect(traitsOf('Did we meet 3 times last week?') & KIND_MASK).toBe(0)
  })
})
