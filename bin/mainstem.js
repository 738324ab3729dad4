#!/usr/bin/env node
// Plain JavaScript that every Node can read, so that an old one gets a sentence and not a stack trace.
import { existsSync } from 'node:fs'
import module from 'node:module'

const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(
    `mainstem needs Node 24 or newer; this is Node ${process.versions.node}. ` +
      "In a clone, 'npm ci' brings a Node 24 of its own: use 'npm start -- ARGS'.",
  )
  process.exit(1)
}
module.enableCompileCache?.()
// A clone runs its sources; the published package has them compiled.
const compiled = new URL('../dist/cli/main.js', import.meta.url)
const { main } = await import(
  existsSync(compiled) ? compiled.href : new URL('../src/cli/main.ts', import.meta.url).href
)
process.exitCode = await main(process.argv.slice(2))
