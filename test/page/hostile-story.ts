/** Makes a home in which everything that somebody else can write is hostile: `hostile-story.ts HOME`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { answers, openProvider } from '../../scripts/page-story/model.ts'
import { Teller } from '../../scripts/page-story/teller.ts'

const TAGS = `<img src=x onerror=alert(1)><script>alert(2)</script><svg/onload=alert(3)>"'><b id=hostile>`
const MARKDOWN = `${TAGS}

# <img src=x onerror=alert(4)>

[a link](javascript:alert(5)) [another](data:text/html,<script>alert(6)</script>) <javascript:alert(7)>
![a picture](https://spy.example/pixel.png) ![own](/api/sessions)

<iframe src="https://spy.example/frame"></iframe>
<style>@import url(https://spy.example/x.css); * { background: url(https://spy.example/y.png) }</style>
<form action="https://spy.example"><input autofocus onfocus=alert(8)></form>

| <img src=x onerror=alert(9)> | b |
|---|---|
| \`<script>alert(10)</script>\` | c |

\`\`\`<img src=x onerror=alert(11)>
<script>alert(12)</script>
\`\`\``

async function tellHostile(home: string): Promise<void> {
  mkdirSync(home, { recursive: true })
  const config = { model: 'anthropic/claude-sonnet-5', timezone: 'Europe/Berlin', compactionShare: 0 }
  writeFileSync(join(home, 'config.json'), JSON.stringify(config))
  openProvider(() => [MARKDOWN])
  const at = new Teller(home)
  await at.begin('2026-11-13 09:00')
  await at.you(`Hello ${TAGS}`)
  const args = { path: `notes/<img src=x onerror=alert(13)>.md`, content: MARKDOWN }
  await at.you(`Write it down. ${TAGS}`, { tool: 'write', args }, MARKDOWN)
  await at.you('Look for it.', { tool: 'grep', args: { pattern: 'script' } }, MARKDOWN)
  await at.you('Note it.', { tool: 'todo', args: { action: 'add', text: TAGS } }, MARKDOWN)
  await at.you('Keep it.', { tool: 'remember', args: { line: TAGS.slice(0, 200) } }, MARKDOWN)
  await at.you('/approve')
  await at.you('And this.', { tool: 'remember', args: { line: `also ${TAGS.slice(0, 200)}` } }, MARKDOWN)
  await at.you('/mark <img/src=x/onerror=alert(14)>')
  await at.you(`/fork -- ${TAGS}`)
  await at.you(`/fork --enter -- ${TAGS}`)
  await at.you(`/report ${TAGS}`)
  await at.you('/compact')
  const matter = { cron: '0 10 * * *', description: TAGS, background: true }
  await at.job('routines/look.md', matter, `Look. ${TAGS}`)
  answers('Look. <img', { tool: 'ping_user', args: { message: MARKDOWN } }, MARKDOWN)
  at.file('routines/<img src=x onerror=alert(15)>.md', '---\ncron: "0 * * * *"\n---\nx\n')
  at.file('routines/wrong.md', '---\ncron: "<img src=x onerror=alert(16)>"\n---\nx\n')
  await at.on('2026-11-14 10:30')
  await at.write('<img src=x>', TAGS, MARKDOWN)
  await at.end()
}

await tellHostile(process.argv[2] ?? '')
