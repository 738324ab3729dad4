import { describe, expect, test } from 'vitest'
import { catalogue, type CommandName, type ParsedCommand } from './catalogue.ts'
import { parseInput } from './parse.ts'

type Fork = Extract<ParsedCommand, { name: 'fork' }>

function forkOf(more: Partial<Fork>): Fork {
  return { name: 'fork', mark: null, enter: false, goal: null, idle: null, ...more }
}

type RecallOrder = Extract<ParsedCommand, { name: 'recall' }>

function recallOf(more: Partial<RecallOrder>): RecallOrder {
  return { name: 'recall', words: '', since: null, until: null, by: null, limit: null, why: false, ...more }
}

const long = 'x'.repeat(64)

const right: readonly (readonly [string, ParsedCommand])[] = [
  ['/attach ~/a.png', { name: 'attach', path: '~/a.png', message: '' }],
  ['/attach "my cat.png" look', { name: 'attach', path: 'my cat.png', message: 'look' }],
  ["/attach 'my cat.png' look", { name: 'attach', path: 'my cat.png', message: 'look' }],
  ["/attach 'til.md look", { name: 'attach', path: "'til.md", message: 'look' }],
  ['/routines', { name: 'routines', id: null, isCancel: false }],
  ['/routines brief', { name: 'routines', id: 'brief', isCancel: false }],
  ['/routines cancel brief', { name: 'routines', id: 'brief', isCancel: true }],
  ['/reminders delete call-mum', { name: 'reminders', id: 'call-mum', isCancel: true }],
  ['/todo', { name: 'todo', action: 'list', which: 'open' }],
  ['/todos all', { name: 'todo', action: 'list', which: 'all' }],
  ['/todo add buy milk', { name: 'todo', action: 'add', text: 'buy milk' }],
  ['/todo done 2', { name: 'todo', action: 'done', item: '2' }],
  ['/todo remove milk', { name: 'todo', action: 'delete', item: 'milk' }],
  ['/reminders', { name: 'reminders', id: null, isCancel: false }],
  ['/pause', { name: 'pause', target: null, time: null }],
  ['/pause all', { name: 'pause', target: 'all', time: null }],
  ['/pause ALL until 18:00', { name: 'pause', target: 'all', time: '18:00' }],
  ['/pause 2h', { name: 'pause', target: 'all', time: '2h' }],
  ['/pause for 2 hours', { name: 'pause', target: 'all', time: '2 hours' }],
  ['/pause brief', { name: 'pause', target: { what: null, id: 'brief' }, time: null }],
  ['/pause 2do 1d', { name: 'pause', target: { what: null, id: '2do' }, time: '1d' }],
  ['/pause routine all 1d', { name: 'pause', target: { what: 'routine', id: 'all' }, time: '1d' }],
  ['/resume', { name: 'resume', target: 'all' }],
  ['/resume all', { name: 'resume', target: 'all' }],
  ['/resume reminder call', { name: 'resume', target: { what: 'reminder', id: 'call' } }],
  ['/timezone', { name: 'timezone', zone: null }],
  ['/timezone Europe/Berlin', { name: 'timezone', zone: 'Europe/Berlin' }],
  ['/ping-budget', { name: 'ping-budget', act: 'show' }],
  ['/ping-budget WHY', { name: 'ping-budget', act: 'why' }],
  ['/ping-budget capacity 8', { name: 'ping-budget', act: 'capacity', value: 8 }],
  ['/ping-budget refill 60 min', { name: 'ping-budget', act: 'refill', value: 60 }],
  ['/ping-budget refill -1.5', { name: 'ping-budget', act: 'refill', value: -1.5 }],
  ['/ping-budget more routine brief', { name: 'ping-budget', act: 'more', job: 'routine brief' }],
  ['/pair', { name: 'pair', act: 'list' }],
  ['/pair approve abcd-efgh me', { name: 'pair', act: 'approve', code: 'abcd-efgh', as: 'me' }],
  ['/pair approve ABCD-EFGH Ana Ono', { name: 'pair', act: 'approve', code: 'ABCD-EFGH', as: 'Ana Ono' }],
  ['/pair refuse ABCD-EFGH', { name: 'pair', act: 'refuse', code: 'ABCD-EFGH' }],
  ['/people', { name: 'people', remove: null }],
  ['/people remove Ana Ono', { name: 'people', remove: 'Ana Ono' }],
  ['/done 3', { name: 'done', number: 3 }],
  ['/done #12', { name: 'done', number: 12 }],
  ['/snooze 3', { name: 'snooze', number: 3, when: null }],
  ['/snooze #3 10m', { name: 'snooze', number: 3, when: '10m' }],
  ['/snooze 3 until tomorrow 9:00', { name: 'snooze', number: 3, when: 'tomorrow 9:00' }],
  ['/here', { name: 'here' }],
  ['/less 3', { name: 'less', number: 3 }],
  ['/approve', { name: 'approve', number: null, always: false, words: null }],
  ['/approve 3', { name: 'approve', number: 3, always: false, words: null }],
  ['/approve #3', { name: 'approve', number: 3, always: false, words: null }],
  ['/approve always', { name: 'approve', number: null, always: true, words: null }],
  ['/approve 3 ALWAYS', { name: 'approve', number: 3, always: true, words: null }],
  ['/approve 3 always tea', { name: 'approve', number: 3, always: false, words: 'always tea' }],
  ['/approve 3 -- always', { name: 'approve', number: 3, always: false, words: 'always' }],
  ['/deny', { name: 'deny', number: null, why: null }],
  ['/deny 12', { name: 'deny', number: 12, why: null }],
  ['/deny 12 too late', { name: 'deny', number: 12, why: 'too late' }],
  ['/deny -- 12 is wrong', { name: 'deny', number: null, why: '12 is wrong' }],
  ['/approvals', { name: 'approvals', number: null }],
  ['/allow', { name: 'allow', text: null }],
  ['/allow write(notes/*)', { name: 'allow', text: 'write(notes/*)' }],
  ['/disallow a b', { name: 'disallow', text: 'a b' }],
  ['/permissions', { name: 'permissions', mode: null }],
  ['/permissions default', { name: 'permissions', mode: 'default' }],
  ['/tools', { name: 'tools', tool: null }],
  ['/tools read', { name: 'tools', tool: 'read' }],
  ['/skills', { name: 'skills', allow: null }],
  ['/skills allow git', { name: 'skills', allow: 'git' }],
  ['/memory', { name: 'memory' }],
  ['/remember My dentist is Dr. Ono.', { name: 'remember', text: 'My dentist is Dr. Ono.' }],
  ['/mark', { name: 'mark', mark: null }],
  ['/mark A', { name: 'mark', mark: 'A' }],
  [`/mark ${long}`, { name: 'mark', mark: long }],
  ['/mark A-1/ü#😀', { name: 'mark', mark: 'A-1/ü#😀' }],
  ['/mark #', { name: 'mark', mark: '#' }],
  ['/mark A at 412', { name: 'mark', mark: 'A', place: 412 }],
  ['/fork --at 412', forkOf({ enter: true, place: 412 })],
  ['/mark A # why', { name: 'mark', mark: 'A' }],
  ['/clear', { name: 'clear', mark: null }],
  ['/clear A', { name: 'clear', mark: 'A' }],
  ['/clear A #', { name: 'clear', mark: 'A' }],
  ['/rewind', { name: 'rewind', mark: null }],
  ['/rewind A', { name: 'rewind', mark: 'A' }],
  ['/undo', { name: 'undo' }],
  ['/redo', { name: 'redo' }],
  ['/fork', forkOf({})],
  ['/fork A', forkOf({ mark: 'A' })],
  ['/fork A # why', forkOf({ mark: 'A' })],
  ['/fork -- compare  the two', forkOf({ goal: 'compare  the two' })],
  ['/fork -- -- x', forkOf({ goal: '-- x' })],
  ['/fork A -- compare -- or not', forkOf({ mark: 'A', goal: 'compare -- or not' })],
  ['/fork compare the two', forkOf({ mark: 'compare the two' })],
  ['/fork compare the two -- now', forkOf({ mark: 'compare the two -- now' })],
  ['/fork --enter', forkOf({ enter: true })],
  ['/fork --enter -- the garden', forkOf({ enter: true, goal: 'the garden' })],
  ['/fork --enter --idle 5', forkOf({ enter: true, idle: 5 })],
  ['/fork --enter --idle 5 -- the garden', forkOf({ enter: true, idle: 5, goal: 'the garden' })],
  ['/fork A --enter', forkOf({ mark: 'A', enter: true })],
  ['/fork A --enter -- the garden', forkOf({ mark: 'A', enter: true, goal: 'the garden' })],
  ['/fork A —enter --idle 5 — tea', forkOf({ mark: 'A', enter: true, idle: 5, goal: 'tea' })],
  ['/fork A --idle 5', forkOf({ mark: 'A', enter: true, idle: 5 })],
  ['/fork --idle 1440', forkOf({ enter: true, idle: 1_440 })],
  ['/fork —idle 5 — tea', forkOf({ enter: true, idle: 5, goal: 'tea' })],
  ['/fork — compare', forkOf({ goal: 'compare' })],
  ['/fork A – compare', forkOf({ mark: 'A', goal: 'compare' })],
  ['/fork —enter — the garden', forkOf({ enter: true, goal: 'the garden' })],
  ['/note a  b', { name: 'note', text: 'a  b' }],
  ['/note "a" # b', { name: 'note', text: '"a" # b' }],
  ['/agents', { name: 'agents', all: false }],
  ['/agents all', { name: 'agents', all: true }],
  ['/switch main', { name: 'switch', id: 'main' }],
  ['/send k3f9ab do  it now', { name: 'send', id: 'k3f9ab', message: 'do  it now' }],
  ['/send k3f9ab "do it"', { name: 'send', id: 'k3f9ab', message: 'do it' }],
  [`/send k3f9ab 'it's done'`, { name: 'send', id: 'k3f9ab', message: `it's done` }],
  ['/send k3f9ab ""do it""', { name: 'send', id: 'k3f9ab', message: '"do it"' }],
  ['/send k3f9ab "say "hi" to me"', { name: 'send', id: 'k3f9ab', message: 'say "hi" to me' }],
  ['/send k3f9ab "yes" or "no"', { name: 'send', id: 'k3f9ab', message: '"yes" or "no"' }],
  [`/send k3f9ab "do it'`, { name: 'send', id: 'k3f9ab', message: `"do it'` }],
  ['/send k3f9ab "', { name: 'send', id: 'k3f9ab', message: '"' }],
  ['/send k3f9ab do "it"', { name: 'send', id: 'k3f9ab', message: 'do "it"' }],
  ['/check-mail', { name: 'check-mail' }],
  ['/kill k3f', { name: 'kill', id: 'k3f' }],
  ['/new', { name: 'new' }],
  ['/context', { name: 'context', policy: null }],
  ['/context policy EXPLICIT', { name: 'context', policy: 'explicit' }],
  ['/compact', { name: 'compact', text: null }],
  ['/compact the travel plans', { name: 'compact', text: 'the travel plans' }],
  ['/expand', { name: 'expand' }],
  ['/expand 412', { name: 'expand', summary: 412 }],
  ['/recall the dentist', recallOf({ words: 'the dentist' })],
  ['/recall the  "blue  folder"', recallOf({ words: 'the "blue folder"' })],
  ['/recall --why dentist', recallOf({ words: 'dentist', why: true })],
  [
    '/recall dentist --since 2026-03 --until 3d',
    recallOf({ words: 'dentist', since: '2026-03', until: '3d' }),
  ],
  ['/recall --by Anna --limit 12 tea', recallOf({ words: 'tea', by: 'Anna', limit: 12 })],
  ['/recall —by "Anna Maria" tea — now', recallOf({ words: 'tea — now', by: 'Anna Maria' })],
  ['/recall well-known -x', recallOf({ words: 'well-known -x' })],
  ['/recall --why -- --since ever', recallOf({ words: '--since ever', why: true })],
  ['/model', { name: 'model', model: null }],
  ['/model openai/GPT-x', { name: 'model', model: 'openai/GPT-x' }],
  ['/thinking', { name: 'thinking', thinking: null }],
  ['/thinking off', { name: 'thinking', thinking: 'off' }],
  ['/thinking adaptive', { name: 'thinking', thinking: 'adaptive' }],
  ['/thinking 4096', { name: 'thinking', thinking: 4096 }],
  ['/system', { name: 'system' }],
  ['/cost', { name: 'cost', allow: false }],
  ['/cost allow', { name: 'cost', allow: true }],
  ['/stop', { name: 'stop' }],
  ['/retry', { name: 'retry' }],
  ['/edit two nights, not three', { name: 'edit', text: 'two nights, not three' }],
  ['/reload', { name: 'reload' }],
  ['/help', { name: 'help', about: null }],
  ['/help /mark', { name: 'help', about: '/mark' }],
  ['/exit', { name: 'exit' }],
  ['/save', { name: 'save' }],
  ['/report', { name: 'report', text: null }],
  ['/report We take  the train.', { name: 'report', text: 'We take  the train.' }],
  ['/reply 3 yes, please', { name: 'reply', number: 3, message: 'yes, please' }],
  ['/reply #12 no', { name: 'reply', number: 12, message: 'no' }],
  ['/run routines/brief.md', { name: 'run', text: 'routines/brief.md' }],
  ['/updates', { name: 'updates', all: false }],
  ['/updates all', { name: 'updates', all: true }],
]

describe('arguments', () => {
  test.each(right)('are understood: %s', (line, command) =>
    expect(parseInput(line)).toEqual([{ kind: 'command', command, line }]),
  )

  test('are in this table for every command', () => {
    const tested = new Set<CommandName>(right.map(([, { name }]) => name))
    expect(catalogue.map(({ name }) => name).filter((name) => !tested.has(name))).toEqual([])
  })
})

const markWanted = `takes the name of one mark: at most 64 characters, no spaces, no '-' at its beginning.`
const contextUsage = 'Usage: /context or /context policy managed|explicit'
const forkUsage =
  'Usage: /fork [MARK] [-- GOAL] or /fork [MARK] --enter [--at POSITION] [--idle MINUTES] [-- TOPIC]'
const idleWanted = `/fork takes minutes from 1 to 1440 after '--idle'. ${forkUsage}`

const recallUsage =
  'Usage: /recall WORDS or /recall [--since DATE] [--until DATE] [--by WHO] [--limit N] [--why] WORDS'
const dates = '2026-03-01, 2026-03, 2026-03-01T08:30, or 3d for three days ago (m, h, d, w)'

describe('arguments that do not fit are answered with the usage', () => {
  test.each([
    ['/recall', `/recall needs words to search for. ${recallUsage}`],
    ['/recall --why', `/recall needs words to search for. ${recallUsage}`],
    ['/recall --', `/recall needs words to search for. ${recallUsage}`],
    ['/recall tea --since', `/recall needs something after '--since'. ${recallUsage}`],
    ['/recall --since ever tea', `/recall takes a time after '--since': ${dates}. ${recallUsage}`],
    ['/recall --limit 0 tea', `/recall takes a number from 1 to 50 after '--limit'. ${recallUsage}`],
    ['/recall --limit 51 tea', `/recall takes a number from 1 to 50 after '--limit'. ${recallUsage}`],
    [
      '/recall --force push',
      `/recall has no option '--force'; to search for that, put '--' and a space before it. ${recallUsage}`,
    ],
    ['/mark two words', `/mark ${markWanted} Usage: /mark NAME or /mark NAME at POSITION`],
    ['/mark -x', `/mark ${markWanted} Usage: /mark NAME or /mark NAME at POSITION`],
    [`/mark ${long}x`, `/mark ${markWanted} Usage: /mark NAME or /mark NAME at POSITION`],
    ['/mark \uD800', `/mark ${markWanted} Usage: /mark NAME or /mark NAME at POSITION`],
    ['/mark A #1', `/mark ${markWanted} Usage: /mark NAME or /mark NAME at POSITION`],
    ['/clear two words', `/clear ${markWanted} Usage: /clear [MARK]`],
    ['/clear # all', `/clear ${markWanted} Usage: /clear [MARK]`],
    ['/rewind two words', `/rewind ${markWanted} Usage: /rewind [MARK]`],
    ['/fork --', `/fork needs a goal after '--'. ${forkUsage}`],
    ['/fork A --', `/fork needs a goal after '--'. ${forkUsage}`],
    ['/fork --enter --', `/fork needs a topic after '--'. ${forkUsage}`],
    ['/fork --enter A', `/fork takes a topic only after '--', as in '--enter -- A'. ${forkUsage}`],
    ['/fork A --enter tea', `/fork takes a topic only after '--', as in '--enter -- tea'. ${forkUsage}`],
    ['/fork --enter --idle', idleWanted],
    ['/fork --enter --idle 0', idleWanted],
    ['/fork --idle 1441', idleWanted],
    ['/fork --idle soon -- tea', idleWanted],
    [
      '/fork --idle 5 --idle 6',
      `/fork takes a topic only after '--', as in '--enter -- --idle 6'. ${forkUsage}`,
    ],
    ['/fork --goal A', `/fork has no option '--goal'; a goal follows '--' and a space. ${forkUsage}`],
    ['/note', '/note needs a text. Usage: /note TEXT'],
    ['/context please', `/context takes 'policy managed', 'policy explicit' or nothing. ${contextUsage}`],
    ['/context policy', `/context takes 'policy managed', 'policy explicit' or nothing. ${contextUsage}`],
    ['/agents some', `/agents takes 'all' or nothing. Usage: /agents [all]`],
    ['/switch', '/switch takes the ID of one branch. Usage: /switch ID'],
    ['/switch a b', '/switch takes the ID of one branch. Usage: /switch ID'],
    ['/send', '/send needs an ID and a message. Usage: /send ID MESSAGE'],
    ['/send k3f9ab', '/send needs a message after the ID. Usage: /send ID MESSAGE'],
    ['/send k3f9ab ""', '/send needs a message after the ID. Usage: /send ID MESSAGE'],
    [`/send k3f9ab ' '`, '/send needs a message after the ID. Usage: /send ID MESSAGE'],
    ['/reply', '/reply needs the number of a message and a text. Usage: /reply NUMBER TEXT'],
    ['/reply yes', '/reply needs the number of a message and a text. Usage: /reply NUMBER TEXT'],
    ['/reply 3', '/reply needs a text after the number. Usage: /reply NUMBER TEXT'],
    ['/run', '/run needs a file. Usage: /run FILE'],
    ['/updates some', `/updates takes 'all' or nothing. Usage: /updates [all]`],
    ['/kill', '/kill takes the ID of one branch. Usage: /kill ID'],
    [
      '/model a b',
      '/model takes one name of a model, such as anthropic/claude-sonnet-4-5. Usage: /model [NAME]',
    ],
    ['/expand please', '/expand takes the position of a summary or nothing. Usage: /expand [POSITION]'],
    ['/cost go-on', `/cost takes 'allow' or nothing. Usage: /cost [allow]`],
    ['/help a b', '/help takes the name of one command or topic. Usage: /help [COMMAND|TOPIC]'],
  ])('%s', (line, say) => expect(parseInput(line)).toEqual([{ kind: 'mistake', line, say }]))

  test.each(['0', '-1', '1.5', '1e3', 'Off', '12345678', 'on'])('/thinking %s', (text) =>
    expect(parseInput(`/thinking ${text}`)).toMatchObject([
      {
        say: `/thinking takes 'off', 'adaptive' or a number of tokens from 1 to 9999999. Usage: /thinking [off|adaptive|TOKENS]`,
      },
    ]),
  )

  test.each('undo redo new stop retry check-mail system reload exit save'.split(' ').map((name) => [name]))(
    '/%s please',
    (name) =>
      expect(parseInput(`/${name} please`)).toMatchObject([
        { kind: 'mistake', say: `/${name} takes no arguments. Usage: /${name}` },
      ]),
  )
})
