/**
 * Makes what is published, in build/package: compiled sources and a package.json without the Node that a clone
 * brings along and without development tools.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const out = join(root, 'build', 'package')
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
for (const script of ['build', 'build:page'])
  execFileSync('npm', ['run', '--silent', script], { cwd: root, stdio: 'inherit' })
for (const file of ['README.md', 'LICENSE', 'NOTICE', 'CHANGELOG.md'])
  copyFileSync(join(root, file), join(out, file))
for (const folder of ['bin', 'assets', 'skills', 'docs/guides', 'build/page'])
  cpSync(join(root, folder), join(out, folder), { recursive: true })

const { name, version, description, license, type, engines, bin, ...rest } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as Record<string, unknown>
const { dependencies, peerDependencies, peerDependenciesMeta } = rest
const exports = { '.': { types: './dist/index.d.ts', default: './dist/index.js' } }
const published = {
  name,
  version,
  description,
  license,
  type,
  engines,
  bin,
  exports,
  dependencies,
  peerDependencies,
  peerDependenciesMeta,
}
writeFileSync(join(out, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
console.log(`built ${out}; 'npm pack' or 'npm publish' there`)
