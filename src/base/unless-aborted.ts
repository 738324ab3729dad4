/** Nobody waits for something that does not stop when it is told to. Undefined: it was told to before it was done. */
export function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined)
    signal.addEventListener('abort', stop, { once: true })
    void work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop))
  })
}
