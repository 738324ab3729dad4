/** The files that describe a service to systemd and launchd. Pure. */

export interface Unit {
  /** The absolute path of the program, and its arguments. */
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

/**
 * Why no file can describe this; undefined if one can. A line break would add a setting of its own; systemd starts no
 * program with quotes or a backslash in its path.
 */
export function unitProblem({ command, environment }: Unit): string | undefined {
  const odd = [...command, ...Object.values(environment)].find((text) => /\p{Cc}/u.test(text))
  if (odd !== undefined)
    return `${JSON.stringify(odd)} contains a line break or another control character, so no service can name it. Move or rename it`
  const [program = ''] = command
  return /["'\\]/.test(program)
    ? `${program} contains a quote or a backslash, so no service can start it. Use a Node in another folder`
    : undefined
}

export function systemdUnit({ command, environment }: Unit): string {
  const [program = '', ...args] = command
  // systemd replaces $NAME in arguments, and not in the path of the program.
  const words = [quoted(program), ...args.map((word) => quoted(word).replaceAll('$', '$$$$'))]
  return `[Unit]
Description=Mainstem

[Service]
ExecStart=${words.join(' ')}
${Object.entries(environment)
  .map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`)
  .join('\n')}
Restart=always
RestartSec=5
RestartPreventExitStatus=78
SuccessExitStatus=0 143
KillMode=control-group
TimeoutStopSec=30

[Install]
WantedBy=default.target
`
}

/** As one word of a setting: `%` begins a specifier. */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll('%', '%%')}"`
}

/** The words of `ExecStart` in a unit that `systemdUnit` wrote. */
export function commandInUnit(text: string): string[] {
  const line = /^ExecStart=(.*)$/m.exec(text)?.[1] ?? ''
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = ''], index) => {
    const plain = word.replaceAll('%%', '%').replaceAll(/\\(.)/g, '$1')
    return index === 0 ? plain : plain.replaceAll('$$', '$')
  })
}

/** `ThrottleInterval` is how long launchd waits before it starts the program again. */
export function launchdPlist({ command, environment }: Unit, label: string, logFile: string): string {
  const names = Object.entries(environment).map(([name, value]) => `${key(name)}${string(value)}`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  ${key('Label')}${string(label)}
  ${key('ProgramArguments')}<array>${command.map(string).join('')}</array>
  ${key('EnvironmentVariables')}<dict>${names.join('')}</dict>
  ${key('RunAtLoad')}<true/>
  ${key('KeepAlive')}<true/>
  ${key('ThrottleInterval')}<integer>5</integer>
  ${key('ExitTimeOut')}<integer>30</integer>
  ${key('StandardOutPath')}${string(logFile)}
  ${key('StandardErrorPath')}${string(logFile)}
</dict>
</plist>
`
}

function key(name: string): string {
  return `<key>${xml(name)}</key>`
}

function string(text: string): string {
  return `<string>${xml(text)}</string>`
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;' } as const

function xml(text: string): string {
  return text.replaceAll(/[&<>]/g, (sign) => ENTITIES[sign as keyof typeof ENTITIES])
}

/** The `ProgramArguments` of a plist that `launchdPlist` wrote. */
export function commandInPlist(text: string): string[] {
  const list = /<key>ProgramArguments<\/key><array>(.*)<\/array>/.exec(text)?.[1] ?? ''
  return [...list.matchAll(/<string>(.*?)<\/string>/g)].map(([, word = '']) =>
    Object.entries(ENTITIES).reduceRight((plain, [sign, name]) => plain.replaceAll(name, sign), word),
  )
}
