/** What a program's name says about it. */
export type ProgramKind =
  /** A shell, or a program that starts others: it would make an allowlist meaningless. */
  | 'starts-others'
  /** Many programs in one, chosen by the name it is called with. */
  | 'many'
  /** Its first word is a file of code. */
  | 'interpreter'
  /** Its first word is code itself. */
  | 'one-liner'
  /** It runs commands found in its input or its arguments. */
  | 'runs-what-it-reads'
  /** It outputs text or facts, and runs nothing. */
  | 'harmless'
  | 'other'

const NAMES: Readonly<Record<Exclude<ProgramKind, 'other'>, string>> = {
  'starts-others':
    'sh ash bash rbash dash zsh fish ksh rksh mksh oksh pdksh yash csh tcsh elvish nu nushell xonsh pwsh powershell cmd ' +
    'command hush posh sash rc es ion osh ysh ' +
    'env xargs parallel sudo sudoedit doas su runuser pkexec sg newgrp ssh slogin rsh rlogin rexec autossh mosh sshpass ' +
    'ssh-agent ssh-copy-id chroot unshare nsenter capsh setpriv prlimit systemd-run systemd-inhibit nohup nice ionice ' +
    'setsid stdbuf unbuffer time timeout watch script expect autoexpect strace ltrace gdb lldb valgrind perf start wsl ' +
    'wscript cscript mshta rundll32 osascript open xdg-open npx bunx pnpx uvx pipx at batch crontab screen tmux dtach ' +
    'abduco entr flock setarch linux32 linux64 i386 x86_64 taskset chrt numactl cpulimit choom cgexec fakeroot ' +
    'fakechroot proot bwrap firejail run-parts start-stop-daemon daemonize dbus-run-session dbus-launch xvfb-run ' +
    'startx xinit catchsegv rlwrap socat nc ncat netcat inetd direnv nix-shell chpst softlimit setuidgid ' +
    'eatmydata torsocks proxychains torify ld.so irb pry erl iex ghci jshell ipython bpython ptpython ed ex ' +
    'vi view vim nvim gvim evim gview rvim rview rgvim vimdiff gvimdiff elvis emacs emacsclient nano pico joe mcedit ' +
    'mutt less more most lynx w3m',
  many: 'busybox toybox coreutils',
  interpreter:
    'python pypy node nodejs deno bun ruby jruby perl raku php lua luajit tclsh wish guile rscript julia elixir runghc ' +
    'runhaskell groovy scala racket ts-node tsx coffee dart java',
  'one-liner': 'awk gawk mawk nawk original-awk sed gsed ssed',
  'runs-what-it-reads':
    'make gmake bmake nmake remake ninja just rake ant gradle mvn scons cmake sqlite sqlite3 sqlcipher psql mysql ' +
    'mariadb duckdb mongo mongosh gnuplot m4 dc r octave maxima gp gs ghostscript ocaml swipl gprolog sbcl clisp ecl ' +
    'scheme gosh gforth kotlin latex pdflatex xelatex lualatex tex luatex luahbtex',
  harmless:
    'basename bc cal cat cksum cmp col column comm cut date df diff dirname du echo egrep expand expr factor fgrep file ' +
    'fmt fold grep head hexdump hostname id join jq locale logname ls md5 md5sum ncal nl numfmt od paste printf pwd ' +
    'readlink realpath rev seq sha1sum sha224sum sha256sum sha384sum sha512sum shasum stat strings sum tac tail tr tree ' +
    'tsort tty uname unexpand uniq units uptime users wc whoami',
}

const KINDS = new Map(
  Object.entries(NAMES).flatMap(([kind, names]) =>
    names.split(' ').map((name) => [name, kind as ProgramKind] as const),
  ),
)

const NAME_CHARS_MAX = 100
/** A variant suffix of a name: `python3.12`, `vim.basic`, `perl5.36-x86_64-linux-gnu`. */
const VARIANT =
  /^([a-z_+-]+?)(?:[-.]?\d.*|[.-](?:basic|tiny|nox|gtk|athena|motif|huge|static|full|dbg|debug)(?:[-.\d].*)?)$/
/** The program loader: `ld-linux-x86-64.so.2`. */
const LOADER = /^ld(?:-linux|-musl|-\d|\d*\.so)/

export function programKind(name: string): ProgramKind {
  const plain = plainName(name)
  if (LOADER.test(plain)) return 'starts-others'
  const kind = KINDS.get(plain) ?? 'other'
  // A program whose name only resembles a harmless one need not be harmless.
  return kind === 'harmless' && plain !== name ? 'other' : kind
}

/** `Python3.12.exe` is `python`. */
export function plainName(name: string): string {
  const plain = name
    .slice(0, NAME_CHARS_MAX)
    .toLowerCase()
    .replace(/\.(?:exe|com|cmd|bat)$/, '')
  if (KINDS.has(plain)) return plain
  const base = VARIANT.exec(plain)?.[1] ?? ''
  return KINDS.has(base) ? base : plain
}
