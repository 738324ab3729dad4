/** A server is not there, or does not do what it should: why, in words for a person, and what to do. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  readonly code: ServerErrorCode

  constructor(code: ServerErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/** `no-package`: nothing is wrong with the server; what speaks with servers is not installed. */
export type ServerErrorCode = 'no-package' | 'unreachable' | 'closed'
