/** Runs every example as a stranger would, and fails if one does. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'

const here = import.meta.dirname
const examples = readdirSync(here).filter(
  (file) => file.endsWith('.ts') && file !== basename(import.meta.filename),
)
const failed = examples.filter((file) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(here, file)], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} examples/${file}`)
  if (status !== 0) console.log(stdout, stderr)
  return status !== 0
})
if (examples.length === 0 || failed.length > 0) process.exitCode = 1
