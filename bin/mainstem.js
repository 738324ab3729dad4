#!/usr/bin/env node
// Plain JavaScript that every Node can read: an old one hands over to the Node 24 that `npm ci` installed.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const major = Number(process.versions.node.split('.')[0])
if (major >= 24) await start()
else handOver()

async function start() {
  module.enableCompileCache?.()
  // A clone runs its sources; the published package has them compiled.
  const compiled = new URL('../dist/cli/main.js', import.meta.url)
  const { main } = await import(
    existsSync(compiled) ? compiled.href : new URL('../src/cli/main.ts', import.meta.url).href
  )
  process.exitCode = await main(process.argv.slice(2))
}

function handOver() {
  const path = `../node_modules/node-${process.platform}-${process.arch}/bin/node`
  const bundled = fileURLToPath(new URL(path, import.meta.url))
  if (!existsSync(bundled)) {
    console.error(
      `mainstem needs Node 24 or newer; this is Node ${process.versions.node}. ` +
        "Install Node 24. On Linux, 'npm ci' in a clone brings a Node 24 of its own.",
    )
    process.exit(1)
  }
  const child = spawn(bundled, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  // Ctrl-C reaches both through the terminal; other signals reach only this process.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY) || child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}
