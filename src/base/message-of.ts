/** What was thrown, in words. Anything can be thrown: null, or an object that cannot be turned into a string. */
export function messageOf(thrown: unknown): string {
  try {
    // Not `instanceof Error`: an error of another context, such as a timeout of `vm`, is of another class.
    const isError = typeof thrown === 'object' && thrown !== null && 'message' in thrown
    return String(isError ? thrown.message : thrown)
  } catch {
    return 'something that cannot be shown was thrown'
  }
}

/** The result of `work`, or `otherwise` if it throws. */
export function orElse<T>(otherwise: T, work: () => T): T {
  try {
    return work()
  } catch {
    return otherwise
  }
}
