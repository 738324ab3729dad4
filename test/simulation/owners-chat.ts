import { createInterface } from 'node:readline'
import type { Entry } from '../../src/channel/terminal/port.ts'
import { Seating } from '../../src/cli/talk/seating.ts'

/** A chat without a screen, for another process: it is told what to type, and tells what it shows. */
const [home = ''] = process.argv.slice(2)

function fail(error: unknown): void {
  setImmediate(() => {
    throw error
  })
}

function tell(said: object): void {
  process.stdout.write(`${JSON.stringify(said)}\n`)
}

function textIn(entry: Entry): string[] {
  return entry.kind === 'said' || entry.kind === 'answer' || entry.kind === 'output' ? [entry.text] : []
}

const seating = new Seating({
  home,
  environment: process.env,
  flags: {},
  fail,
  onWait: () => undefined,
})
seating.keep().catch(fail)
const { port } = seating
await port.isOpen
const shown = port.past.flatMap(textIn)
port.watch((happening) => {
  if (happening.kind === 'entry') shown.push(...textIn(happening.entry))
})
tell({ kind: 'ready' })
for await (const line of createInterface({ input: process.stdin })) {
  const { type } = JSON.parse(line) as { readonly type?: string }
  if (type === undefined) tell({ kind: 'shown', shown })
  else port.submit(type).then(() => tell({ kind: 'received', text: type }), fail)
}
