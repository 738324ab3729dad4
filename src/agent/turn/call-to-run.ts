import type { Call } from '../../event/event.ts'

/** A call as it stands in the log, and why it cannot be run, if so. */
export interface CallToRun extends Call {
  readonly bad?: string
  /** A person is asked whether it may run: the number of that approval. */
  readonly approval?: number
  /** Of the tool that was allowed, or asked for. */
  readonly fingerprint?: string
}
