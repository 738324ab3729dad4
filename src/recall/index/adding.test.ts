import { describe, expect, test } from 'vitest'
import { FIRST_PERSON, HAS_NUMBER, HAS_TIME, IS_WISH, KIND_MASK } from '../contract/text-index.ts'
import { traitsOf } from './adding.ts'

describe('a text is', () => {
  test.each([
    ['Always answer in German when we talk about my lessons.', true],
    ['Thanks! From now on, send the report on Mondays.', true],
    ['I prefer trains over planes', true],
    ["I'd like you to use metric units", true],
    ['When I ask about recipes, leave out the meat.', true],
    ['I have always loved trains', false],
    ['She never came back', false],
    ['', false],
  ])('a wish for what comes: %j %j', (text, is) => {
    expect((traitsOf(text) & IS_WISH) !== 0).toBe(is)
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
