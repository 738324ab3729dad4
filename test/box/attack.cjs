// One attack on the machine outside of the box; says what it got, and fails where it got nothing.
const { connect } = require('node:net')

const [, , how, what, count] = process.argv
const reach = (options) =>
  connect(options, () => process.stdout.write('reached', () => process.exit(0))).on('error', ({ code }) => {
    console.error(code)
    process.exit(1)
  })
const ways = {
  port: () => reach({ host: '127.0.0.1', port: Number(what) }),
  socket: () => reach({ path: what }),
  memory: () => {
    const held = []
    while (held.length < Number(count)) held.push(Buffer.alloc(Number(what), 1))
    setInterval(() => undefined, 1_000)
  },
}
ways[how]()
