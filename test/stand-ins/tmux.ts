import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'

export const hasTmux = isThere('tmux', '-V')
export const why = hasTmux ? '' : ' (left out: tmux is not installed here)'

function isThere(program: string, argument: string): boolean {
  try {
    execFileSync(program, [argument], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

export interface Pane {
  keys(...keys: readonly string[]): void
  /** What is in sight; with `all`, also what has scrolled out of it. */
  shown(all?: 'all'): string
  until(part: string): Promise<void>
  resize(columns: number, rows: number): void
  paste(text: string): void
  cursor(): { readonly isShown: boolean; readonly row: number }
  /** Of the program's process. */
  pid(): number
}

/** A program of Node's in a real terminal. Once it has left, the shell says how the terminal is. */
export async function openPane(
  columns: number,
  rows: number,
  { program, ready = '╰─' }: { readonly program: string; readonly ready?: string },
): Promise<Pane> {
  const folder = mkdtempSync(join(tmpdir(), 'mainstem-tmux-'))
  const tmux = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-u', '-S', join(folder, 'socket'), '-f', '/dev/null', ...args], {
      encoding: 'utf8',
    })
  const start = `echo $$ > ${folder}/pid; exec ${process.execPath} ${program}`
  const script = `sh -c '${start}'; echo; echo "left: $(stty -a | grep -o -e '-*icanon' -e '-*echo ' | tr -d '\\n')"; sleep 60`
  tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), script)
  onTestFinished(() => {
    tmux('kill-server')
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
  })
  const shown = (all?: 'all'): string => tmux('capture-pane', '-p', ...(all ? ['-S', '-'] : []))
  const pane: Pane = {
    keys: (...keys) => void tmux('send-keys', ...keys),
    shown,
    until: async (part) => {
      await expect.poll(() => shown(), { interval: 50 }).toContain(part)
    },
    resize: (width, height) => void tmux('resize-window', '-x', String(width), '-y', String(height)),
    paste: (text) => void (tmux('set-buffer', text), tmux('paste-buffer', '-p')),
    cursor: () => {
      const [flag, row] = tmux('display-message', '-p', '#{cursor_flag} #{cursor_y}').split(' ')
      return { isShown: flag === '1', row: Number(row) }
    },
    pid: () => Number(readFileSync(join(folder, 'pid'), 'utf8')),
  }
  await pane.until(process.env['INK_SCREEN_READER'] === 'true' ? 'context ' : ready)
  return pane
}
