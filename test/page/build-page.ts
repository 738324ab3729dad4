import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Builds the page if something in web/ is newer than what was built. */
export default function buildPage(): void {
  const built = join(root, 'build/page/index.html')
  const files = readdirSync(join(root, 'web'), { recursive: true, encoding: 'utf8' })
  const newest = Math.max(...files.map((file) => statSync(join(root, 'web', file)).mtimeMs))
  if (existsSync(built) && statSync(built).mtimeMs > newest) return
  // In a process of its own: in this one React would be built for tests.
  execFileSync(
    process.execPath,
    [join(root, 'node_modules/vite/bin/vite.js'), 'build', 'web', '--logLevel', 'warn'],
    {
      cwd: root,
      env: { ...process.env, NODE_ENV: 'production' },
      stdio: 'inherit',
    },
  )
}
