type Environment = Readonly<Record<string, string>>

/** What keeps programs that are known for it from running what a folder tells them to. */
const HARDENED: Readonly<Record<string, Environment>> = {
  git: {
    ...gitSettings({
      'core.fsmonitor': 'false',
      'core.hooksPath': '/dev/null',
      'core.pager': 'cat',
      'core.sshCommand': 'false',
      'diff.external': '',
      'log.showSignature': 'false',
      'protocol.ext.allow': 'never',
    }),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
  },
}

/** The environment of a program; its own settings hold against those of the folder that it looks at. */
export function hardened(binary: string, environment: Environment): Environment {
  return { ...environment, ...(Object.hasOwn(HARDENED, binary) ? HARDENED[binary] : {}) }
}

/** As if each were given by `-c`. */
function gitSettings(settings: Readonly<Record<string, string>>): Environment {
  const entries = Object.entries(settings).flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return {
    GIT_CONFIG_COUNT: String(Object.keys(settings).length),
    ...Object.fromEntries(entries),
  } as Environment
}
