import { expect, test } from 'vitest'
import { networkReason } from './problem.ts'

const at = { url: 'https://far.example/mcp?key=hunter2', setting: 'mcp.servers.far' }

/** As fetch fails: what happened is the cause of what it says. */
function failed(code: string | undefined, message = 'what the system says'): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), code && { code }) })
}

test.each([
  ['ECONNREFUSED', 'nothing answers at https://far.example/mcp (connection refused)'],
  ['ENOTFOUND', 'nothing answers at https://far.example/mcp (there is no host of that name)'],
  ['EAI_AGAIN', 'nothing answers at https://far.example/mcp (the name of the host cannot be looked up now)'],
  ['ETIMEDOUT', 'nothing answers at https://far.example/mcp (it took too long to connect)'],
  ['UND_ERR_CONNECT_TIMEOUT', 'nothing answers at https://far.example/mcp (it took too long to connect)'],
  ['UND_ERR_SOCKET', 'nothing answers at https://far.example/mcp (the connection was cut off)'],
  ['EWHATEVER', 'nothing answers at https://far.example/mcp (EWHATEVER)'],
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'the certificate of far.example is not trusted (it is signed by itself), so https://far.example/mcp was not asked',
  ],
  [
    'CERT_REVOKED',
    'the certificate of far.example is not trusted (CERT_REVOKED), so https://far.example/mcp was not asked',
  ],
  [
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'https://far.example/mcp does not speak TLS; with http:// in place of https:// it may answer',
  ],
])('%s is said in words, with the address and without its query', (code, why) => {
  const reason = networkReason(failed(code), at)
  expect(reason?.why).toBe(why)
  expect(reason?.advice).toMatch(/orrect mcp\.servers\.far\.url\.$/)
})

test('an error that is not of the network is left to others', () => {
  expect(networkReason(new Error('something else'), at)).toBeUndefined()
  expect(networkReason('a text', at)).toBeUndefined()
  expect(networkReason(undefined, at)).toBeUndefined()
})

test('an error that is its own cause is looked at all the same', () => {
  const error: Error & { cause?: unknown } = new Error('round and round')
  error.cause = error
  expect(networkReason(error, at)).toBeUndefined()
})
