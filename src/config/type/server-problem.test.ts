import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../base/json.ts'
import { serversProblem } from './server-problem.ts'
import { servers } from './tool-type.ts'
import { isWholeRun, rounds } from '../../../test/rounds.ts'

describe('what is wrong with servers is said with its place', () => {
  test.each<[string, string]>([
    ['{"a":{"cmd":"x"}}', "server a: 'cmd' is unknown (did you mean 'command'?)"],
    ['{"a":{"command":"x","arg":[]}}', "server a: 'arg' is unknown (did you mean 'args'?)"],
    ['{"a":{"command":"x","Environment":{}}}', "server a: 'Environment' is unknown (did you mean 'env'?)"],
    [
      '{"a":{"url":"http://x","transport":"sse"}}',
      "server a: 'transport' is unknown; use command, args, env, cwd, folders, network, or url, headers",
    ],
    [
      '{"A B":{"command":"x"}}',
      "'A B' is not a valid server name (use at most 32 lowercase letters, digits and -, not starting with -)",
    ],
    ['{"a":{"url":"ftp://x"}}', 'server a: url must start with http:// or https://'],
    ['{"a":{"url":"http://"}}', 'server a: url is not a valid address'],
    [
      '{"a":{"url":"http://me:hunter2@x"}}',
      'server a: url contains a user name or password; put them into headers, as Authorization',
    ],
    ['{"a":{"command":"x","url":"http://x"}}', 'server a has both a command and a url; keep one of them'],
    ['{"a":{"url":"http://x","cwd":"/x"}}', "server a: 'cwd' goes with a command, but this server has a url"],
    ['{"a":{}}', 'server a: it needs a command or a url'],
    ['{"a":"npx"}', 'server a must be an object: {"command": "PROGRAM"} or {"url": "https://…"}'],
    ['{"a":{"command":""}}', 'server a: command must be a text in double quotes'],
    ['{"a":{"command":"x","args":"-y"}}', 'server a: args must be a list of texts: ["--port", "8080"]'],
    ['{"a":{"command":"x","env":{"A-B":"1"}}}', "server a: 'A-B' in env is not a valid name for a variable"],
    ['{"a":{"command":"x","env":{"A":1}}}', "server a: 'A' in env must be a text in double quotes"],
    [
      '{"a":{"url":"http://x","headers":{"K":"a\\nb"}}}',
      "server a: 'K' in headers contains a line break or another control character",
    ],
    [
      '{"a":{"cmd":"x"},"b":{}}',
      "server a: 'cmd' is unknown (did you mean 'command'?); server b: it needs a command or a url",
    ],
    ['{"a":{"command":x}}', 'it is not JSON: at character 17, unknown word; put texts in double quotes'],
    ['{"a":{"command":"x"}', 'it is not JSON: at character 21, expected a closing }'],
    ['{} // x', 'it is not JSON: at character 4, a comment is not allowed here'],
    ['['.repeat(60), 'it is not JSON: it is nested too deeply'],
  ])('%s', (text, problem) => {
    expect(servers.schema.safeParse(servers.fromText(text)).success).toBe(false)
    expect(serversProblem(servers.fromText(text))).toBe(problem)
  })

  test.each(['npx', '"{}"', '[]', '5'])('%s has to be an object, and an example is given', (text) => {
    expect(serversProblem(servers.fromText(text))).toMatch(/^it must be an object.*: \{"NAME": \{"command"/)
  })

  test('of many, five are said and the others counted', () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`s${n}`, {}]))
    expect(serversProblem(many)).toMatch(/server s4: it needs a command or a url; and 56 more$/)
  })
})

const word = fc.constantFrom('x', '', 'http://x/y', 'ftp://x', 'http://u:SECRET@x', 'SECRET', 'SECRET\n')
const pairs = fc.dictionary(fc.constantFrom('A', 'A-B', 'a b'), fc.oneof(word, fc.constant(5)))
const value = fc.oneof(word, fc.array(word), pairs, fc.constant<Json>(null), fc.constant(7))
const entry = fc.dictionary(
  fc.constantFrom('command', 'args', 'env', 'cwd', 'url', 'headers', 'cmd', 'type'),
  value,
)
const all = fc.dictionary(fc.constantFrom('a', 'b-1', 'A', '-x', 'x'.repeat(33)), fc.oneof(entry, value))

test('something is said exactly of what is refused, and never a value', () => {
  let accepted = 0
  fc.assert(
    fc.property(fc.oneof(all, value), (json: Json) => {
      const isRight = servers.schema.safeParse(json).success
      if (isRight) accepted++
      const problem = serversProblem(json)
      expect(problem === undefined).toBe(isRight)
      expect(problem ?? '').not.toContain('SECRET')
    }),
    { numRuns: rounds(3_000) },
  )
  if (isWholeRun) expect(accepted).toBeGreaterThan(50)
})
