import { expect, test } from 'vitest'
import { estimateTokens } from '../base/tokens.ts'
import type { Message } from '../event/event.ts'
import type { Position } from '../event/id.ts'
import type { Scene } from '../../test/model/scene.ts'
import { play } from '../../test/model/stage.ts'
import { passageOf, type Passage } from './passage.ts'
import type { Within } from './contract/recall.ts'
import { automaticWithin } from './scope/scope.ts'

const QUESTION: Message = { role: 'assistant', text: 'Shall we take the ferry on Friday?', calls: [] }
const all: Within = () => 'all'

function newest(scene: Scene, within: Within = all, tokensMax = 300): Passage {
  const hit = { position: scene.writing.end as Position, part: 0 }
  return passageOf(scene.writing, hit, { terms: [], tokensMax, within })
}

test('a bare answer is told with what it answers', () =>
  play((scene) => {
    scene.say('main', QUESTION)
    scene.say('main', { role: 'user', text: 'Yes, Friday.' })
    expect(newest(scene)).toMatchObject({
      kind: 'user',
      text: 'Yes, Friday.',
      answers: { kind: 'assistant', text: 'Shall we take the ferry on Friday?' },
    })
  }))

test('what tells enough by itself is told alone', () =>
  play((scene) => {
    scene.say('main', QUESTION)
    scene.say('main', { role: 'user', text: 'Friday is good for the ferry. '.repeat(8) })
    expect(newest(scene)).not.toHaveProperty('answers')
  }))

test('both together take no more room than there is', () =>
  play((scene) => {
    scene.say('main', { ...QUESTION, text: 'The ferry goes on Friday. '.repeat(40) })
    scene.say('main', { role: 'user', text: 'Yes, Friday.' })
    const { text, answers } = newest(scene, all, 30)
    expect(answers?.text).toContain('…')
    expect(estimateTokens(text) + estimateTokens(answers?.text ?? '')).toBeLessThanOrEqual(30)
  }))

test('[RECALL1] a rewound question does not come back with the answer to another one', () =>
  play((scene) => {
    scene.note('main', 'start')
    scene.mark('main', 'A')
    scene.say('main', { role: 'assistant', text: 'The rewound question?', calls: [] })
    scene.rewind('main', 'A')
    scene.say('main', { role: 'user', text: 'Yes, Friday.' })
    const hit = { position: scene.writing.end as Position, part: 0 }
    scene.note('main', 'later')
    scene.compact('main', 's')
    const within = automaticWithin(scene.writing, scene.id('main'), { policy: 'managed', acrossClear: true })
    expect(within).toBeDefined()
    const told = passageOf(scene.writing, hit, { terms: [], tokensMax: 300, within: within ?? all })
    expect(told.text).toBe('Yes, Friday.')
    expect(told).not.toHaveProperty('answers')
  }))
