import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { BranchId, Position } from '../../src/event/id.ts'
import type { Document } from '../../src/recall/contract/document.ts'

/** A folder of its own for a test's index. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mainstem-index-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

export function plain(position: number, text: string): Document {
  return {
    position: position as Position,
    part: 0,
    branch: 'br_a' as BranchId,
    at: position * 1_000,
    kind: 'user',
    speaker: 'anna',
    text,
  }
}
