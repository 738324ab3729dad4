/**
 * Makes what is published, in build/package: compiled sources, a package.json without the Node that a clone brings
 * along and without development tools, and SHA256SUMS, the hash of each file. The same commit gives the same bytes
 * on every machine, so anybody can check a published package against its source; `--twice` shows that, with a second
 * package from a copy of the tree in another place.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const out = join(root, 'build', 'package')
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
// Without it, a NODE_ENV of the shell would decide what is bundled, and put paths of this machine into it.
const env = { ...process.env, NODE_ENV: 'production' }
for (const script of ['build', 'build:page'])
  execFileSync('npm', ['run', '--silent', script], { cwd: root, env, stdio: 'inherit' })
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

const files = globSync('**/*', { cwd: out })
  .filter((path) => statSync(join(out, path)).isFile())
  .toSorted()
// Archives hold them too, and a umask would change them.
for (const path of files) chmodSync(join(out, path), path === 'bin/mainstem.js' ? 0o755 : 0o644)
const sums = files.map(
  (path) =>
    `${createHash('sha256')
      .update(readFileSync(join(out, path)))
      .digest('hex')}  ${path}\n`,
)
writeFileSync(join(out, 'SHA256SUMS'), sums.join(''))
chmodSync(join(out, 'SHA256SUMS'), 0o644)
console.log(`built ${out}; 'npm pack' or 'npm publish' there`)

if (process.argv.includes('--twice')) packAgain()

function packAgain(): void {
  // On the same disk, so that installed packages are linked and not copied; deeper than here, and with another umask.
  const folder = mkdtempSync(join(root, 'build', 'again-'))
  try {
    const copy = join(folder, 'a', 'clone')
    const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
    for (const path of listed.split('\0').filter((name) => name !== '')) {
      mkdirSync(dirname(join(copy, path)), { recursive: true })
      copyFileSync(join(root, path), join(copy, path))
    }
    execFileSync('cp', ['-al', join(root, 'node_modules'), join(copy, 'node_modules')])
    execFileSync('sh', ['-c', 'umask 077; node scripts/package.ts'], { cwd: copy, stdio: 'inherit' })
    const [one, other] = [out, join(copy, 'build', 'package')].map(packed)
    if (one !== other) throw new Error(`two packages of one tree differ:\n${one}\n${other}`)
    console.log('a second package, made in another place, has the same bytes')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The hashes of its files, and of the archive that npm makes of it. */
function packed(folder: string): string {
  const archive = execFileSync('npm', ['pack', '--silent'], { cwd: folder, encoding: 'utf8' }).trim()
  const hash = createHash('sha256')
    .update(readFileSync(join(folder, archive)))
    .digest('hex')
  rmSync(join(folder, archive))
  return `${readFileSync(join(folder, 'SHA256SUMS'), 'utf8')}${hash}  the archive`
}
