import { basename } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../../base/clock.ts'
import { getBranch } from '../../context/branch.ts'
import { fileLabel } from '../../event/file.ts'
import type { CallContext, Tool } from '../../tool/tool.ts'
import { builtIn, failed, ok } from '../../tool/tool.ts'
import { keepFile, type FileDesk } from '../../file/take-files.ts'
import type { Log } from '../../log/log.ts'
import { defineTool } from '../../tool/define-tool.ts'
import { quoted, unlessPathError } from '../../tool/files/path.ts'
import type { Workspace } from '../../tool/files/workspace.ts'
import { isPassedOn, whoAsked } from '../state/asker.ts'
import { say } from '../state/outbox.ts'

export interface SendFileParts {
  readonly log: Log
  readonly now: Clock
  readonly files: FileDesk
  readonly workspace: Pick<Workspace, 'folderPlace' | 'readAny'>
  /** Where the person finds the workspace. */
  readonly root: string
  readonly deliver: () => void
}

const TEXT_CHARS_MAX = 1_000

const argumentsSchema = z.strictObject({
  path: z.string().min(1).describe('Of a file in your workspace, such as notes/plan.md'),
  text: z.string().trim().max(TEXT_CHARS_MAX).describe('Words that go with it').exactOptional(),
})

/** Sends a file of the workspace to the person who asked. */
export function sendFileTool({ log, now, files, workspace, root, deliver }: SendFileParts): Tool {
  const send = async (path: string, text: string, { branch, turn }: CallContext) => {
    const place = workspace.folderPlace(path)
    const bytes = await workspace.readAny(path, files.limits().bytesMax)
    if (bytes === undefined) return failed(`There is no file ${quoted(place)}.`)
    if (bytes.length === 0) return failed(`Not sent: ${quoted(place)} is empty.`)
    const kept = await keepFile(files.store, { kind: 'document', name: basename(place), bytes })
    const file = { ...kept, note: `${root}/${place}` }
    const at = now()
    const isSent = await log.write((writing) => {
      const now = getBranch(writing, branch)
      const to = isPassedOn(writing, now) ? undefined : whoAsked(writing, now)
      if (to === undefined) return false
      say(writing, { branch, at, to, form: 'output', text, turn, files: [file], cause: null })
      return true
    })
    if (!isSent) return failed('Nobody here can be sent a file. Say where it is instead.')
    deliver()
    return ok(`Sent: ${fileLabel(file)}`)
  }
  return defineTool({
    name: 'send_file',
    description:
      'Send the person you are talking with a file of your workspace, of any kind. Use it when they ask for the file itself, not to show what it says.',
    schema: argumentsSchema,
    usage: 'Usage: send_file {"path": "notes/plan.md", "text"?: words that go with it}.',
    nature: builtIn('looks', { says: 'host' }),
    run: ({ path, text = '' }, call) => unlessPathError(() => send(path, text, call)),
  })
}
