import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { run, tempFolder } from './cli/run.ts'
import { pdf, png } from './stand-ins/small-files.ts'

const MODEL = ['--model', 'offline']

/** A home to which a picture and a paper were sent. */
async function homeWithFiles() {
  const home = join(tempFolder(), 'home')
  const folder = tempFolder()
  const [picture, paper] = [join(folder, 'my cat.png'), join(folder, 'lease.pdf')]
  writeFileSync(picture, png(8, 8))
  writeFileSync(paper, pdf('The landlord is Quendolin.'))
  const asked = await run(
    ['-p', 'What is this?', '--file', picture, '--file', paper, '--home', home, ...MODEL],
    {},
  )
  return { home, picture, paper, asked }
}

test('[FILE1] files go with a question, are shown by name and size, and are found by their words', async () => {
  const { home, picture, asked } = await homeWithFiles()
  expect(asked.code).toBe(0)
  const log = await run(['log'], { home })
  expect(log.out).toMatch(/user: \[image my cat.png, \d+ bytes\] \[document lease.pdf, \d+ bytes\]/)
  expect((await run(['recall', 'Quendolin'], { home })).out).toContain('What is this?')
  expect((await run(['context', '--turn', '1', '--home', home], {})).out).toContain('[image my cat.png,')
  const attached = await run(['-p', `/attach "${picture}" Again?`, '--yes', '--home', home, ...MODEL], {})
  expect(attached.out).toMatch(/^Sent: \[image my cat.png, \d+ bytes\]\n/)
  expect(readdirSync(join(home, 'files'))).toHaveLength(2)
})

test('[SAFE4] a pipe cannot attach a file without --yes, and nothing but a file is attached', async () => {
  const home = join(tempFolder(), 'home')
  const piped = await run(['--home', home, ...MODEL], { input: '/attach /etc/hostname\n' })
  expect(piped.code).toBe(1)
  expect(piped.err + piped.out).toContain('/attach changes what the agent may do')
  const gone = await run(['-p', 'hi', '--file', join(home, 'none'), '--home', home, ...MODEL], {})
  expect(gone).toMatchObject({ code: 1 })
  expect(gone.err).toContain('does not exist. Nothing was asked')
  const device = await run(['-p', '/attach /dev/zero', '--yes', '--home', home, ...MODEL], {})
  expect(device.out + device.err).toContain('is a device, not a file')
})

function attach(home: string, path: string): ReturnType<typeof run> {
  return run(['-p', `/attach ${path}`, '--yes', '--home', home, ...MODEL], {})
}

describe('[RIGHT1] /attach and --file', () => {
  test('begin where the person stands, then in the workspace, and an error names both', async () => {
    const home = join(tempFolder(), 'home')
    await run(['-p', 'hi', '--home', home, ...MODEL], {})
    expect((await attach(home, 'package.json')).out).toMatch(/^Sent: \[document package.json/)
    writeFileSync(join(home, 'workspace', 'plan.md'), 'the plan')
    expect((await attach(home, 'plan.md')).out).toMatch(/^Sent: \[document plan.md/)
    const lost = await attach(home, 'nowhere.md')
    const places = `(looked in ${process.cwd()} and in the workspace, ${join(home, 'workspace')})`
    expect(lost).toMatchObject({
      code: 1,
      out: expect.stringContaining(`No such file: nowhere.md ${places}.`),
    })
  })

  test('[RIGHT1] give nothing of the home but the workspace and stored files, by whatever path', async () => {
    const home = join(tempFolder(), 'home')
    await run(['-p', 'hi', '--home', home, ...MODEL], {})
    writeFileSync(join(home, 'token'), 'the secret of the home')
    symlinkSync(join(home, 'token'), join(home, 'workspace', 'link.md'))
    symlinkSync(home, join(home, '..', 'other-name'))
    const paths = [
      join(home, 'token'),
      '../token',
      'link.md',
      join(home, '..', 'other-name', 'token'),
      join(home, 'log.db'),
    ]
    for (const path of paths)
      expect(await attach(home, path)).toMatchObject({
        code: 1,
        out: expect.stringContaining("Mainstem's own"),
      })
    const byLink = await attach(join(home, '..', 'other-name'), join(home, 'token'))
    expect(byLink.out).toContain("Mainstem's own")
    const asked = await run(
      ['-p', 'What is it?', '--file', join(home, 'token'), '--home', home, ...MODEL],
      {},
    )
    const log = await run(['export', '--home', home], {})
    expect(asked.out + log.out).not.toContain('the secret of the home')
    expect(log.out).toContain("Mainstem's own")
    expect(readdirSync(home)).not.toContain('files')
  })

  test('where the person stands is in the log only for a command that needs it', async () => {
    const home = join(tempFolder(), 'home')
    await attach(home, 'package.json')
    await run(['-p', 'hi', '--home', home, ...MODEL], {})
    const { out } = await run(['export', '--home', home], {})
    const sources = out.split('\n').filter((line) => line.includes('"from":"person"'))
    expect(sources.filter((line) => line.includes(`"folder":"${process.cwd()}"`)).length).toBeGreaterThan(0)
    expect(sources.filter((line) => line.includes('"text":"hi"') && line.includes('folder'))).toEqual([])
  })
})

test('[FILE1] an export carries the files, and an import checks them', async () => {
  const { home } = await homeWithFiles()
  const exported = await run(['export'], { home })
  const second = join(tempFolder(), 'home')
  expect((await run(['import', '-'], { home: second, input: exported.out })).code).toBe(0)
  const names = readdirSync(join(home, 'files'))
  expect(readdirSync(join(second, 'files'))).toEqual(names)
  for (const name of names)
    expect(readFileSync(join(second, 'files', name))).toEqual(readFileSync(join(home, 'files', name)))
  expect((await run(['export'], { home: second })).out.split('\n').filter(isFile)).toEqual(
    exported.out.split('\n').filter(isFile),
  )
  const forged = exported.out.replace(/("data":")..../, '$1AAAA')
  const third = join(tempFolder(), 'home')
  const refused = await run(['import', '-'], { home: third, input: forged })
  expect(refused.err).toContain('has other bytes than its hash says')
  expect(existsSync(join(third, 'files'))).toBe(false)
  const planted = `${exported.out}{"file":"${'0'.repeat(64)}","data":""}\n`
  const fourth = await run(['import', '-'], { home: join(tempFolder(), 'home'), input: planted })
  expect(fourth.err).toContain('no event names the file')
  // A home whose log is gone, and whose files are not: a failed import leaves them.
  rmSync(join(second, 'log.db'))
  expect((await run(['import', '-'], { home: second, input: planted })).code).toBe(1)
  expect(readdirSync(join(second, 'files'))).toEqual(names)
  const salvaged = await run(['import', '--salvage', '-'], {
    home: join(tempFolder(), 'home'),
    input: exported.out,
  })
  expect(salvaged.code).toBe(0)
})

test('[FILE1] the doctor names files that changed, are missing, or belong to no message', async () => {
  const { home } = await homeWithFiles()
  const [first = '', second = ''] = readdirSync(join(home, 'files'))
  writeFileSync(join(home, 'files', first), 'changed')
  rmSync(join(home, 'files', second))
  writeFileSync(join(home, 'files', 'stray'), '')
  const { code, out } = await run(['doctor'], { home })
  expect(code).toBe(1)
  for (const line of ['1 file changed or unreadable', '1 file missing', '1 file that no message names'])
    expect(out).toContain(line)
  rmSync(join(home, 'files'), { recursive: true })
  mkdirSync(join(home, 'files'))
  expect((await run(['doctor'], { home })).code).toBe(0)
  // The person may delete files: the model is told, and the conversation goes on.
  expect((await run(['-p', 'And now?', '--home', home, ...MODEL], {})).code).toBe(0)
})

test('[FILE3] a file of the workspace is sent to the person who asks, and nothing from outside of it', async () => {
  const home = join(tempFolder(), 'home')
  await run(['-p', 'hello', '--home', home, ...MODEL], {})
  writeFileSync(join(home, 'workspace', 'plan.pdf'), pdf('the plan'))
  const script = join(tempFolder(), 'script.json')
  const steps = [sending('../log.db'), sending('plan.pdf'), { reply: { text: 'Here it is.' } }]
  writeFileSync(script, JSON.stringify(steps))
  const asked = await run(['-p', 'Send me the plan', '--home', home, '--model', `scripted:${script}`], {})
  expect(asked.out).toBe(`[document plan.pdf, 583 bytes] ${home}/workspace/plan.pdf\nHere it is.\n`)
  const log = await run(['log'], { home })
  expect(log.out).toMatch(/result of send_file: .*lies outside of/)
  expect(readdirSync(join(home, 'files'))).toHaveLength(1)
})

function sending(path: string) {
  return { reply: { text: '' }, calls: [{ tool: 'send_file', args: { path } }] }
}

function isFile(line: string): boolean {
  return line.startsWith('{"file":')
}
