import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { orElse } from '../../src/base/message-of.ts'
import type { ServerEntry } from '../../src/config/type/tool-type.ts'
import { settings, type Config } from '../../src/config/table/settings.ts'
import { homeFiles } from '../../src/runtime/home/home-files.ts'
import { openWorkspace } from '../../src/tool/files/workspace.ts'
import { openBoxes } from '../../src/tool/process/boxes.ts'
import { processesNow } from '../../src/tool/process/left-behind.ts'
import { start, tempFolder } from '../cli/run.ts'
import { called, opened, processEntry } from '../mcp/opened.ts'
import { newHome, talkIn } from '../skills/talk.ts'
import { put } from '../skills/folders.ts'
import { lastingBubblewrap, makerForTests, startedWith } from './maker.ts'

const maker = makerForTests()

function boxesIn(home: string, limits = { processesMax: 64, residentBytesMax: 1e9, memoryFolderBytes: 1e6 }) {
  const workspace = join(home, 'workspace')
  return openBoxes({
    mode: () => 'required',
    closed: () => ({ home, workspace, userHome: homedir(), sockets: [] }),
    folder: join(home, 'boxes'),
    path: process.env['PATH'] ?? '',
    guarded: () => ({ files: [join(workspace, 'AGENTS.md')], folders: [] }),
    limits,
  })
}

describe.skipIf(maker.kind === 'none')('[BOX1] an MCP server', () => {
  test('works in a box, and the first time it is said how it gets the network', async () => {
    const home = tempFolder()
    const first = opened({ demo: processEntry('well') }, { boxes: boxesIn(home) })
    const { tools } = await first.mcp.refresh([])
    expect(await called(tools, 'demo__echo', { args: { text: 'hi' } })).toMatchObject({
      text: expect.stringContaining('hi'),
    })
    expect(first.warnings).toEqual([expect.stringContaining("'mainstem mcp network demo on'")])
    const again = opened({ demo: processEntry('well') }, { boxes: boxesIn(home) })
    await again.mcp.refresh([])
    expect(again.warnings).toEqual([])
  })

  test('is started again for the next call, after what it may not write to was replaced', async () => {
    const home = tempFolder()
    const rules = put(join(home, 'workspace', 'AGENTS.md'), 'Be kind.')
    const workspace = dirname(rules)
    const entry = { ...processEntry('well'), folders: [workspace] }
    const { mcp, clock } = opened({ demo: entry }, { boxes: boxesIn(home) })
    const { tools } = await mcp.refresh([])
    clock.ahead = 10_000
    await openWorkspace(workspace).write('AGENTS.md', 'Be very kind.')
    expect(await called(tools, 'demo__echo', { args: { text: 'hi' } })).toMatchObject({
      text: expect.stringContaining('hi'),
    })
    expect(readFileSync(rules, 'utf8')).toBe('Be very kind.')
  })

  test.skipIf(maker.kind !== 'bubblewrap')(
    '[TOOL3] that a kill -9 left behind is ended at the next start, also where its box does not end with what made it',
    async () => {
      const home = newHome()
      const pid = join(home, 'workspace', 'pid')
      const word = `1000.${process.pid}4`
      const script = `setsid sleep ${word} & touch ${pid}; sleep ${word}`
      const entry = { command: '/bin/sh', args: ['-c', script], network: false, folders: [dirname(pid)] }
      const servers = { demo: entry }
      const config = { model: 'offline', sandbox: 'required', mcp: { servers } }
      put(join(home, 'config.json'), JSON.stringify(config))
      mkdirSync(dirname(pid))
      const owner = start([], { home, path: lastingBubblewrap() })
      owner.stdin?.write('hello\n')
      await expect.poll(() => existsSync(pid), { timeout: 60_000 }).toBe(true)
      owner.kill('SIGKILL')
      await once(owner, 'close')
      const those = processesNow().filter(({ pid: one }) => cmdlineOf(one).includes(script))
      const made = those.filter(({ parent }) => !those.some((one) => one.pid === parent))
      expect(made).toHaveLength(1)
      for (const one of made) process.kill(one.pid, 'SIGKILL')
      expect(startedWith(word)).toBeGreaterThan(0)
      put(join(home, 'config.json'), '{}')
      const talk = await talkIn(home)
      await expect.poll(() => startedWith(word), { timeout: 60_000 }).toBe(0)
      await talk.close()
    },
  )

  test('sees its own files and the folders of its entry, and has a network only where that is said', async () => {
    const home = tempFolder()
    const server = createServer((_, response) => void response.end('reached')).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const given = tempFolder()
    const [seen, secret] = [put(join(given, 'a'), ''), put(join(home, 'config.js'), '{}')]
    const script = put(
      join(tempFolder(), 'look.cjs'),
      `const { existsSync } = require('node:fs')
       const files = [process.env.SEEN, process.env.SECRET].map((file) => existsSync(file))
       fetch('http://127.0.0.1:' + process.argv[2]).then(() => true, () => false)
         .then((reached) => { console.error(JSON.stringify([...files, reached])); process.exit(1) })`,
    )
    const entry: ServerEntry = {
      command: process.execPath,
      args: [script, String(port), secret],
      env: { SEEN: seen, SECRET: secret },
    }
    const saidBy = async (more: Partial<Extract<ServerEntry, { command: string }>>): Promise<string> => {
      const { mcp } = opened({ demo: { ...entry, network: false, ...more } }, { boxes: boxesIn(home) })
      return (await mcp.refresh([])).notes.join('\n')
    }
    expect(await saidBy({})).toMatch(/\[false,false,false\].*in a box without network, and with no folders/s)
    expect(await saidBy({ folders: [given], network: true })).toContain('[true,false,true]')
    expect(await saidBy({ cwd: home })).toContain("as it would show Mainstem's home")
  })

  test('that uses too much memory is ended, and that is said', async () => {
    const limits = { processesMax: 64, residentBytesMax: 150_000_000, memoryFolderBytes: 1e6 }
    const script = `const all = []; setInterval(() => all.length < 20 && all.push(Buffer.alloc(2e7, 1)), 1)`
    const entry = { command: process.execPath, args: ['-e', script], network: false }
    const { mcp } = opened({ demo: entry }, { boxes: boxesIn(tempFolder(), limits) })
    expect((await mcp.refresh([])).notes.join()).toContain('used more memory than a box may have')
  })

  test('of a home runs in a box', async () => {
    const home = newHome()
    const servers = JSON.stringify({ demo: processEntry('well') })
    const talk = await talkIn(home, { set: { 'mcp.servers': servers, sandbox: 'required' } })
    await talk.close()
    expect(existsSync(join(home, 'boxes', 'mcp-demo'))).toBe(true)
  })
})

function cmdlineOf(pid: number): string {
  return orElse('', () => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
}

describe.skipIf(maker.kind === 'none')('[BOX1] the transcriber', () => {
  test('sees the recording and its own folder, and no other file of the home', async () => {
    const home = tempFolder()
    const path = put(join(home, 'files', 'aa'), 'said in it')
    const other = put(join(home, 'files', 'bb'), 'said elsewhere')
    const hear = put(join(tempFolder(), 'hear'), `#!/bin/sh\ncat "$1"; cat ${other} || echo .\n`)
    chmodSync(hear, 0o755)
    const values = (sandbox: Config['sandbox']) =>
      ({
        sandbox,
        skills: { directory: null, extraDirs: [] },
        transcriber: { url: null, program: [hear], folders: [], network: false },
      }) as unknown as Config
    const heard = (sandbox: Config['sandbox']) =>
      homeFiles({ home, values: () => values(sandbox), env: { PATH: '/bin:/usr/bin' } })
        .transcriber()
        ?.transcribe({ path, bytes: Buffer.of(), mime: 'audio/ogg' }, new AbortController().signal)
    expect(await heard('required')).toBe('said in it.\n')
    expect(await heard('off')).toBe('said in itsaid elsewhere')
    expect(settings['transcriber.network'].default).toBe(false)
  })
})
