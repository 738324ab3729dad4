import { expect, test } from 'vitest'
import { isAbout, isPinned, sourceText, type Setting } from './setting.ts'

const setting: Setting = {
  key: 'recallLimit',
  group: 'Recall',
  help: 'How many pieces come back by themselves.',
  allowed: 'a whole number from 0 to 50',
  change: 'live',
  environment: ['MAINSTEM_RECALL_LIMIT'],
  isSecret: false,
  isForTerminal: false,
  choices: null,
  text: '5',
  defaultText: '5',
  source: { kind: 'default' },
}

test('a setting is found by its key, its help and its name in the environment', () => {
  for (const sought of ['recalllimit', 'pieces back', 'RECALL_LIMIT', ' whole  number ', ''])
    expect({ sought, isFound: isAbout(setting, sought) }).toEqual({ sought, isFound: true })
  expect(isAbout(setting, 'pieces elsewhere')).toBe(false)
})

test('what the environment or a flag sets is pinned, and says where', () => {
  const file = { kind: 'file', path: '/home/me/.mainstem/config.json', line: 3 } as const
  const environment = { kind: 'environment', name: 'MAINSTEM_PORT' } as const
  expect([file, environment].map((source) => sourceText(source))).toEqual([
    'config.json, line 3',
    'MAINSTEM_PORT',
  ])
  expect([file, environment].map((source) => isPinned({ ...setting, source }))).toEqual([false, true])
})
