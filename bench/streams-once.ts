import { preferSmallHeap } from '../src/base/environment.ts'
import { openOwnLife } from '../src/cli/talk/own-life.ts'
import { systemEnvironment } from '../src/config/table/source.ts'
import { typedInbound } from '../src/runtime/terminal/place.ts'

/** A process that is read from: answers at its word, and says when each piece of an answer came and how large it is. */
const home = process.argv[2] as string
// As the program itself does.
preferSmallHeap()
const own = await openOwnLife({
  home,
  command: 'bench',
  environment: systemEnvironment(),
  fail: (error) => {
    throw error
  },
})
own.life.agent.watch((happening) => {
  if (happening.kind === 'piece') process.send?.({ pieceAt: performance.timeOrigin + performance.now() })
})
await own.listen({ rank: 'chat' })
let asked = 0
process.on('message', (word) => {
  const act = word === 'size' ? tellSize : word === 'ask' ? ask : end
  void act()
})
process.send?.('ready')

async function tellSize(): Promise<void> {
  globalThis.gc?.()
  process.send?.({ rssMb: process.memoryUsage.rss() / 1e6 })
}

async function ask(): Promise<void> {
  await own.life.receive(typedInbound('hello', { origin: 'terminal', key: `k${asked++}` }))
  await own.life.agent.settled()
  process.send?.('answered')
}

async function end(): Promise<void> {
  await own.close()
  process.disconnect()
}
