import { realpathSync } from 'node:fs'
import { basename, isAbsolute } from 'node:path'

/** Programs that run whatever they are told to: with one of them an allowlist would mean nothing. */
const SHELLS =
  'sh ash bash rbash dash zsh fish ksh mksh oksh pdksh yash csh tcsh elvish nu nushell xonsh pwsh powershell cmd command'
const LAUNCHERS =
  'env xargs parallel sudo doas su runuser pkexec ssh chroot unshare nsenter systemd-run nohup nice ionice setsid ' +
  'stdbuf time timeout watch script expect strace ltrace gdb start wsl wscript cscript mshta rundll32 ' +
  'osascript npx bunx pnpx uvx pipx at batch crontab screen tmux entr flock setarch linux32 linux64 taskset chrt ' +
  'irb erl ghci jshell ed ex vi vim nvim emacs'
/** Programs that are many programs; what they are depends on the name they are called by. */
const MANY_IN_ONE = 'busybox toybox'

const SHELL_NAMES = new Set(SHELLS.split(' '))
const REFUSED_NAMES = new Set(`${SHELLS} ${LAUNCHERS} ${MANY_IN_ONE}`.split(' '))

/** Programs whose first word is code, or a file of it, unless the descriptor has fixed that word. */
const INTERPRETERS = new Set(
  (
    'python pypy node nodejs deno bun ruby perl php lua luajit tclsh wish guile r rscript julia elixir runghc groovy ' +
    'awk gawk mawk nawk sed gsed'
  ).split(' '),
)
const STARTS_OTHERS = /^-{1,2}(?:exec|execdir|exec-batch|ok|okdir|to-command|checkpoint-action)(?:=|$)/

/** `Python3.12.exe` is `python`. */
function plainName(name: string): string {
  return name
    .toLowerCase()
    .replace(/\.(?:exe|com|cmd|bat)$/, '')
    .replace(/-?\d[\d.]*$/, '')
}

/** Why a program may not be run by any tool. */
export function refusedBinary(binary: string): string | undefined {
  if (/[/\\:\0]/.test(binary) || binary === '.' || binary === '..' || binary.trim() !== binary)
    return `binary ${JSON.stringify(binary)} has to be a bare name that is found on PATH`
  if (REFUSED_NAMES.has(binary.toLowerCase()) || REFUSED_NAMES.has(plainName(binary)))
    return `binary ${binary} is a shell or starts other programs: name the program itself`
  return undefined
}

/** Where the program is, or why it cannot be run. */
export function locate(
  binary: string,
  findBinary: (name: string) => string | undefined,
): { readonly file: string } | { readonly problem: string } {
  const file = findBinary(binary)
  if (file === undefined) return { problem: `binary not found on PATH: ${binary}` }
  if (!isAbsolute(file)) return { problem: `binary ${binary} was found at ${file}, which is no whole path` }
  const real = basename(realOf(file))
  if (real !== binary && SHELL_NAMES.has(plainName(real)))
    return { problem: `binary ${binary} is the shell ${real} under another name` }
  return { file }
}

function realOf(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

/** The words behind a program that no model has a say in: those before its first parameter, and all others. */
export interface FixedWords {
  readonly leading: readonly string[]
  readonly all: readonly string[]
}

/** Why a program must not be run this way: a model could choose what code runs. */
export function openToCode(binary: string, { leading, all }: FixedWords): string | undefined {
  const starting = all.find((word) => STARTS_OTHERS.test(word))
  if (starting !== undefined) return `${binary} ${starting} starts other programs: name the program itself`
  const name = plainName(binary)
  if (!INTERPRETERS.has(name)) return undefined
  if (name === 'sed' || name === 'gsed') {
    const code = all.find((word) => /^(?:-[ef]|--expression|--file)/.test(word))
    if (code !== undefined) return `${binary} ${code} takes code: give it one fixed script as its first word`
  }
  const words = (name === 'deno' || name === 'bun') && leading[0] === 'run' ? leading.slice(1) : leading
  const [first = '', second = ''] = words
  const isModule = first === '-m' && (name === 'python' || name === 'pypy') && isName(second)
  const evaluates = (name === 'deno' || name === 'bun') && /^(?:eval|repl|exec|x)$/.test(first)
  if ((isName(first) && !evaluates) || isModule) return undefined
  return `${binary} runs the code it is given: fix its script as the first word of the subcommand, without an option such as -c or -e before it`
}

function isName(word: string): boolean {
  return word !== '' && !word.startsWith('-')
}
