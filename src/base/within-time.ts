/** Resolves when the work is done or the time is over, whichever comes first. */
export async function withinTime(work: Promise<unknown>, ms: number): Promise<void> {
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(over.resolve, ms)
  try {
    await Promise.race([work, over.promise])
  } finally {
    clearTimeout(timer)
  }
}
