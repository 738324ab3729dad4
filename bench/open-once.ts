import { stopwatchMs } from '../src/base/clock.ts'
import { getBranch } from '../src/context/branch.ts'
import { show } from '../src/context/prompt.ts'
import { listOf } from '../src/context/version.ts'
import { mainOf, openLog } from './data.ts'

/** One start of a program: opens the log given to it as its writer, and assembles what main shows. */
const start = stopwatchMs()
const { store, log } = openLog(process.argv[2] as string)
const main = mainOf(store)
const shown = await log.read((reader) => show(reader, listOf(reader, getBranch(reader, main))).length)
const ms = stopwatchMs() - start
console.log(JSON.stringify({ ms, shown, rssMb: process.memoryUsage.rss() / 1e6 }))
await log.close()
