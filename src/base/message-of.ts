/** What was thrown, in words. Anything can be thrown: null, or an object that cannot be turned into a string. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message
  try {
    return String(thrown)
  } catch {
    return 'something that cannot be shown was thrown'
  }
}
