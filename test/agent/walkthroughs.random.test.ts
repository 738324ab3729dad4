import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/random.ts'
import type { Prompt } from '../../src/event/prompt.ts'
import { countedTool } from './doubles.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { bare, children, isChilds, ruled, said, stopped } from './rig.ts'
import { seeds } from '../rounds.ts'

/** Delegation in lines of their own must come out the same, whatever the parent does between two lines. */

const TASKS = ['Research OAuth2. Report via /send.', 'Research sessions. Report via /send.', 'Research JWT.']
const LINES = TASKS.flatMap((task, n) => [`/mark M${n}`, task, `/fork M${n}`])

interface Chance {
  below(max: number): number
}

function chanceOf(seed: number): Chance {
  const random = seededRandom(seed)
  return { below: (max) => Math.abs(random()) % max }
}

/** So many rounds of the event loop: a call, a tool or a hand on the keyboard takes a while, but no time. */
async function pause(rounds: number): Promise<void> {
  for (let n = 0; n < rounds; n++) await new Promise(setImmediate)
}

/** What the parent was told and nobody took away from it again. */
function openTasks({ messages }: Prompt): string[] {
  const texts = messages.map(bare)
  return TASKS.filter((task) => {
    const at = texts.lastIndexOf(task)
    return at >= 0 && !texts.slice(at).some((text) => text.startsWith('given to '))
  })
}

async function delegate(seed: number): Promise<void> {
  const chance = chanceOf(seed)
  const tool = countedTool('look', async () => {
    await pause(chance.below(6))
    return 'nothing'
  })
  const at = await ruled(
    async (prompt, signal) => {
      await pause(chance.below(6))
      if (isChilds(prompt)) return { text: `found: ${said(prompt)[0]}` }
      // A parent that has the task itself thinks until it is stopped: an answer here would be the wrong one.
      if (openTasks(prompt).length > 0) return stopped(signal)
      const isLooking = chance.below(3) > 0
      return isLooking ? { calls: [{ id: 'l', tool: 'look', args: {} }] } : { text: 'looked' }
    },
    { tools: [tool], settings: { roundsMax: 50 } },
  )
  const lines = [...(chance.below(2) === 0 ? ['look around'] : []), ...LINES]
  for (const line of lines) {
    await at.type(line)
    await pause(chance.below(8))
  }
  await at.settle()
  const tasks = at.model.prompts.filter(isChilds).map((prompt) => said(prompt)[0] ?? '')
  expect(tasks.toSorted(), `seed ${seed}`).toEqual(TASKS.toSorted())
  const handles = await children(at)
  expect(handles).toHaveLength(TASKS.length)
  const mails = (await at.events('mail-sent')).map(({ text }) => text)
  expect(mails.toSorted(), `seed ${seed}`).toEqual(TASKS.map((task) => `found: ${task}`).toSorted())
  expect(at.sent.filter(({ form }) => form === 'answer').length).toBe(lines.length - LINES.length)
  await expectLawful(at)
  await expectEmpty(at.log)
  await at.close()
}

describe('delegation line by line', () => {
  test('gives each task to its child and to nobody else, in any order of events', async () => {
    for (const seed of seeds(80)) await delegate(seed)
  })
})
