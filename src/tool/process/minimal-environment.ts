/** What programs need to find themselves, their files and their language, and nothing that could be a secret. */
const NEEDED: ReadonlySet<string> = new Set(
  [
    'PATH HOME USER LOGNAME LANG LANGUAGE TZ TERM TMPDIR',
    // Windows: most programs do not start without these. There the names of variables have no case.
    'SYSTEMROOT WINDIR SYSTEMDRIVE COMSPEC PATHEXT TEMP TMP USERNAME USERPROFILE',
    'HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES',
  ].flatMap((names) => names.split(' ')),
)
const LOCALE = /^LC_[A-Z]+$/

/** A list of what may pass, never of what may not: a secret with a name nobody thought of stays out as well. */
export function minimalEnvironment(
  whole: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const passed = Object.entries(whole).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isNeeded(entry[0]),
  )
  return Object.fromEntries(passed)
}

function isNeeded(name: string): boolean {
  return NEEDED.has(name) || NEEDED.has(name.toUpperCase()) || LOCALE.test(name)
}
