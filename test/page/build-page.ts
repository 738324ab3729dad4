import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'

const root = join(import.meta.dirname, '../..')

/** Builds the page if something in web/ is newer than what was built. */
export default async function buildPage(): Promise<void> {
  const built = join(root, 'build/page/index.html')
  const files = readdirSync(join(root, 'web'), { recursive: true, encoding: 'utf8' })
  const newest = Math.max(...files.map((file) => statSync(join(root, 'web', file)).mtimeMs))
  if (existsSync(built) && statSync(built).mtimeMs > newest) return
  await build({ configFile: join(root, 'web/vite.config.ts'), logLevel: 'warn' })
}
