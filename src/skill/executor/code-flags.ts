import { plainName, programKind } from './program-names.ts'
import { isOpenBehind, leadingWords, type ProgramUse } from './program-use.ts'

/** Options that start other programs with the words after them, in every program that has them. */
const STARTS_OTHERS =
  /^-{1,2}(?:exec|execdir|exec-batch|ok|okdir|to-command|checkpoint-action|pre-invoke|post-invoke)(?:=|$)/

/** By program, the options whose value is code or the name of a program. Abbreviations of long ones count too. */
const TAKES_CODE: Readonly<Record<string, string>> = {
  tar: '--use-compress-program -I --to-command --checkpoint-action --rsh-command --rmt-command --info-script --new-volume-script -F',
  bsdtar: '--use-compress-program --options',
  cpio: '--rsh-command',
  zip: '-TT --unzip-command',
  rsync: '-e --rsh --rsync-path',
  scp: '-o -S -F -D',
  sftp: '-o -S -F -D -b',
  'ssh-keygen': '-D -w',
  'ssh-add': '-s -S',
  sort: '--compress-program',
  split: '--filter',
  find: '-exec -execdir -ok -okdir -files0-from',
  fd: '-x -X --exec --exec-batch',
  fdfind: '-x -X --exec --exec-batch',
  rg: '--pre --hostname-bin',
  curl: '-K --config',
  wget: '-e --execute --config --use-askpass',
  man: '-P --pager -H --html -C --config-file -X --gxditview -T',
  tcpdump: '-z',
  nmap: '--script --datadir',
  openssl: '-engine -provider -provider-path -config',
  gcc: '-wrapper -B -specs -fplugin',
  cc: '-wrapper -B -specs -fplugin',
  pandoc: '-F --filter -L --lua-filter --pdf-engine -d --defaults --data-dir',
  svn: '--config-option --config-dir --diff-cmd --diff3-cmd --editor-cmd',
  hg: '--config --config-file --cwd -R --repository',
  rpm: '-E --eval -D --define --pipe --rcfile --load',
  apt: '-o --option -c --config-file',
  'apt-get': '-o --option -c --config-file',
  'apt-cache': '-o --option -c --config-file',
  dpkg: '--pre-invoke --post-invoke --status-logger',
  cargo: '--config',
  ip: '-b -batch exec',
  mail: '-S -:',
  ctags: '--options --xformat',
}

/** Words that make a git subcommand run the words after them, or something that a repository names. */
const GIT_RUNS: Readonly<Record<string, string>> = {
  archive: '--remote --exec',
  bisect: 'run',
  clone: '-u --upload-pack -c --config --template',
  fetch: '--upload-pack',
  grep: '-O --open-files-in-pager',
  'ls-remote': '--upload-pack --exec',
  pull: '--upload-pack -s --strategy',
  push: '--receive-pack --exec',
  rebase: '-x --exec -s --strategy',
  init: '--template',
  merge: '-s --strategy',
}
const GIT_REFUSED = new Set(
  (
    'config credential daemon difftool mergetool filter-branch for-each-repo gui citool gitk hook instaweb maintenance ' +
    'send-email send-pack receive-pack upload-pack fetch-pack upload-archive shell web--browse imap-send ' +
    'cvsserver p4 svn archimport cvsimport fast-import am help submodule submodule--helper'
  ).split(' '),
)

/** These only read and, hardened as they are, run nothing. */
const GIT_LOOKS = new Set(
  (
    'status log diff show branch blame shortlog describe rev-parse rev-list ls-files ls-tree cat-file grep ' +
    'name-rev merge-base for-each-ref show-ref count-objects --version'
  ).split(' '),
)

/** Whether, as far as we know, nothing that this runs can do harm. */
export function isHarmless(use: ProgramUse): boolean {
  if (plainName(use.binary) === 'git') return GIT_LOOKS.has(leadingWords(use)[0] ?? '')
  return programKind(use.binary) === 'harmless'
}

/** Why a program must not be run this way: one of its options would let a model choose what code runs. */
export function flagProblem(use: ProgramUse): string | undefined {
  const { binary, words } = use
  const starting = words.find(({ text }) => text !== null && STARTS_OTHERS.test(text))?.text
  if (starting !== undefined) return `${binary} ${starting} starts other programs: name the program itself`
  const name = plainName(binary)
  if (name === 'git') return gitProblem(use)
  const flags = Object.hasOwn(TAKES_CODE, name) ? TAKES_CODE[name] : undefined
  return flags === undefined ? undefined : openFlag(use, flags.split(' '), name === 'tar')
}

function gitProblem(use: ProgramUse): string | undefined {
  const [first = '-'] = leadingWords(use)
  if (first === '--version') return undefined
  if (first.startsWith('-'))
    return 'git needs a fixed subcommand as its first word, without options such as -c or -C before it'
  if (GIT_REFUSED.has(first) || /^(?:remote|http)-/.test(first))
    return `git ${first} runs other programs, or changes which ones git runs`
  const flags = Object.hasOwn(GIT_RUNS, first) ? GIT_RUNS[first] : undefined
  return flags === undefined ? undefined : openFlag(use, flags.split(' '), false)
}

function openFlag(
  { binary, words }: ProgramUse,
  flags: readonly string[],
  isBundled: boolean,
): string | undefined {
  const found = words.find(
    ({ text }, place) =>
      text !== null && flags.some((flag) => isFlag(text, flag, isBundled)) && isOpenBehind(words, place),
  )
  return found === undefined
    ? undefined
    : `${binary} ${found.text ?? ''} takes code or the name of a program, which no model may choose: fix its value`
}

/** Also `--use-comp` for `--use-compress-program`, and for tar `-cI` or `cI` for `-I`. */
function isFlag(word: string, flag: string, isBundled: boolean): boolean {
  if (word === flag) return true
  if (flag.startsWith('--')) return word.length > 3 && flag.startsWith(word)
  return isBundled && flag.length === 2 && /^-?[A-Za-z]+$/.test(word) && word.includes(flag.slice(1))
}
