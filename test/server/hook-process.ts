/** A server of its own process, for tests that kill it. With a number, it dies after so many deliveries, before it answers. */
import { preferSmallHeap } from '../../src/base/environment.ts'
import { openOwnLife } from '../../src/cli/talk/own-life.ts'
import { systemEnvironment } from '../../src/config/table/source.ts'

preferSmallHeap()
const [, , home = '', diesAfter = ''] = process.argv
const fail = (error: unknown): never => {
  throw error
}
const warn = (): void => undefined
const environment = systemEnvironment()
const own = await openOwnLife({ home, command: 'hook test', environment, schedules: true, warn, fail })
const { webhooks } = own.life
const receive = webhooks.receive.bind(webhooks)
let count = 0
webhooks.receive = async (...given) => {
  const delivered = await receive(...given)
  count++
  if (count === Number(diesAfter)) process.kill(process.pid, 'SIGKILL')
  return delivered
}
const { port } = await own.listen({ rank: 'serve', network: { host: '127.0.0.1', port: 0 } })
console.log(port)
