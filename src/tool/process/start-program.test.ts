import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

test.skipIf(process.platform !== 'linux')(
  '[BOX1] a program has no descriptor that whoever started Mainstem left open',
  async () => {
    const module = new URL('start-program.ts', import.meta.url).href
    const argv = JSON.stringify(['-c', 'readlink /proc/self/fd/20 /proc/self/fd/100'])
    const code = `const { startProgram } = await import('${module}')
      const program = { file: '/bin/sh', argv: ${argv}, cwd: null, env: { PATH: '/usr/bin:/bin' } }
      startProgram(program, { stdin: 'ignore', detached: false }).child.stdout.pipe(process.stdout)`
    const folder = openSync('/usr', 'r')
    const stdio = Array.from({ length: 101 }, (_, at) =>
      [20, 100].includes(at) ? folder : ('ignore' as const),
    )
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit', ...stdio.slice(3)],
    })
    closeSync(folder)
    const { stdout } = child
    expect(stdout && (await text(stdout))).toBe('/dev/null\n/dev/null\n')
  },
)
