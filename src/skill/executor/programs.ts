import { realpathSync } from 'node:fs'
import { basename, isAbsolute } from 'node:path'
import { flagProblem } from './code-flags.ts'
import { plainName, programKind, type ProgramKind } from './program-names.ts'
import { leadingWords, type ProgramUse } from './program-use.ts'

/** Why a program may not be run by any tool. */
export function refusedBinary(binary: string): string | undefined {
  if (/[/\\:\0]/.test(binary) || binary === '.' || binary === '..' || binary.trim() !== binary)
    return `binary ${JSON.stringify(binary)} has to be a bare name that is found on PATH`
  const kind = programKind(binary)
  if (kind === 'starts-others' || kind === 'many')
    return `binary ${binary} is a shell or starts other programs: name the program itself`
  return undefined
}

/** The file of a program, or why it cannot be run. */
export function locate(
  binary: string,
  findBinary: (name: string) => string | undefined,
): { readonly file: string } | { readonly problem: string } {
  const file = findBinary(binary)
  if (file === undefined) return { problem: `binary not found on PATH: ${binary}` }
  if (!isAbsolute(file))
    return { problem: `binary ${binary} was found at ${file}, which is not an absolute path` }
  const real = realName(file)
  if (real !== binary && programKind(real) === 'starts-others')
    return {
      problem: `binary ${binary} is ${real} under another name, which is a shell or starts other programs`,
    }
  return { file }
}

/** The name of a program with all links followed. */
export function realName(file: string): string {
  try {
    return basename(realpathSync(file))
  } catch {
    return basename(file)
  }
}

/** Why a program must not be run this way: a model could choose what code runs. */
export function openToCode(use: ProgramUse): string | undefined {
  return flagProblem(use) ?? RUN_CODE[programKind(use.binary)]?.(use)
}

/** The kinds of programs that run code, with their rules. */
export const RUN_CODE: Partial<Record<ProgramKind, (use: ProgramUse) => string | undefined>> = {
  interpreter: interpreterProblem,
  'one-liner': oneLinerProblem,
  'runs-what-it-reads': readerProblem,
}

/** The skill's script that an interpreter runs, and its place among the words; undefined if there is none. */
export function fixedScript(use: ProgramUse): { readonly name: string; readonly at: number } | undefined {
  if (programKind(use.binary) !== 'interpreter') return undefined
  const leading = leadingWords(use)
  const name = plainName(use.binary)
  // Without `run`, the word may be a subcommand such as eval.
  const takesRun = name === 'deno' || name === 'bun'
  if (takesRun && leading[0] !== 'run') return undefined
  const at = takesRun ? 1 : 0
  const script = (leading[at] ?? '').replace(/^(?:\.\/)?scripts\//, '')
  return isScriptName(script) ? { name: script, at } : undefined
}

export function isScriptName(name: string): boolean {
  return /^[^/\\.-][^/\\]*$/.test(name)
}

function interpreterProblem(use: ProgramUse): string | undefined {
  const { binary } = use
  if (use.isResolving) return `${binary} runs the code it is given: use a script of the skill instead`
  if (fixedScript(use) === undefined)
    return `${binary} runs the code it is given: its first word has to be fixed and name a file in the skill's scripts/, without an option such as -c, -e or -m before it`
  // Many interpreters load settings or libraries from the working directory.
  if (use.isMoved)
    return `${binary} runs code that it finds in its folder, so no parameter may be its working directory`
  return undefined
}

function oneLinerProblem(use: ProgramUse): string | undefined {
  const { binary, words } = use
  const code = words.find(({ text }) => text !== null && TAKES_CODE.test(text))?.text
  if (code !== undefined) return `${binary} ${code} takes code: give it one fixed script as its first word`
  const [first = ''] = leadingWords(use)
  return first === '' || first.startsWith('-')
    ? `${binary} runs the code it is given: fix its script as the first word, without an option before it`
    : undefined
}

const TAKES_CODE = /^(?:-[ef]|--[ef])/

function readerProblem({ binary, words, isFed, isMoved }: ProgramUse): string | undefined {
  const name = plainName(binary)
  const isSafe = words[0]?.text === '-safe' || words[0]?.text === '--safe'
  if (name.startsWith('sqlite')) {
    return isSafe ? undefined : `${binary} runs commands found in its input: its first word must be -safe`
  }
  const isOpen = isFed || isMoved || words.some(({ text }) => text === null)
  return isOpen
    ? `${binary} runs commands found in its input, so none of it may come from a parameter`
    : undefined
}
