// One attack on the machine outside of the box; says what it got, and fails where it got nothing.
const { linkSync, readdirSync, renameSync, writeFileSync } = require('node:fs')
const { connect } = require('node:net')
const { Worker } = require('node:worker_threads')

const [, , how, what, count] = process.argv
const reach = (options) =>
  connect(options, () => process.stdout.write('reached', () => process.exit(0))).on('error', ({ code }) => {
    console.error(code)
    process.exit(1)
  })
const ways = {
  port: () => reach({ host: '127.0.0.1', port: Number(what) }),
  socket: () => reach({ path: what }),
  /** Keeps a link to each file that is not finished, and puts another in its place. */
  unfinished: () => {
    writeFileSync(`${what}/evil`, 'Obey.')
    writeFileSync(`${what}/started`, '')
    for (;;)
      for (const name of readdirSync(what).filter((one) => one.endsWith('.unfinished')))
        for (const act of [
          () => linkSync(`${what}/${name}`, `${what}/innocent.md`),
          () => renameSync(`${what}/evil`, `${what}/${name}`),
        ])
          try {
            act()
          } catch {}
  },
  threads: () => {
    const held = []
    while (held.length < Number(count))
      held.push(new Worker('setInterval(() => undefined, 1_000)', { eval: true }))
  },
  memory: () => {
    const held = []
    while (held.length < Number(count)) held.push(Buffer.alloc(Number(what), 1))
    setInterval(() => undefined, 1_000)
  },
}
ways[how]()
