import { expect, test } from 'vitest'
import { file, jobStage, MINUTE } from './agent/job-rig.ts'
const COUNT = Number(process.env['COUNT'] ?? 1000)
const isOwn = process.env['OWN'] === '1'
for (const allow of (process.env['ALLOW'] ?? 'false,true').split(',').map((w) => w === 'true'))
  test(`allow ${allow}`, { timeout: 600_000 }, async () => {
    const files = Object.fromEntries(Array.from({ length: COUNT }, (_, index) => [`routines/r${index}.md`,
      file({ cron: isOwn ? `0 10 * * ${index % 2 ? '*' : '0-6'},${['0','1','2','3','4','5','6','7'].filter((_, b) => (index >> b) & 1).join(',') || '0'}`.replace('*,', '0-6,') + '' : '0 10 * * *', background: true, isolated: true, 'allow-ping': allow, description: `Routine number ${index} looks at something` })]))
    const at = await jobStage({ files })
    const start = performance.now()
    await at.pass(31 * MINUTE)
    console.log(allow, isOwn, Math.round(performance.now() - start), 'ms', (await at.events('job-fired')).length)
    expect(await at.events('run-started')).toHaveLength(COUNT)
    await at.close()
  })
