/** Makes config.schema.json, which tells editors what a config.json may hold. Run it after changing a setting. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { configSchema } from '../src/config/file/schema.ts'

const file = fileURLToPath(new URL('../config.schema.json', import.meta.url))
writeFileSync(file, `${JSON.stringify(configSchema(), undefined, 2)}\n`)
execFileSync('npx', ['oxfmt', file], { stdio: 'inherit' })
