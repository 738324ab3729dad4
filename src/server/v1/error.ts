import { Refusal } from '../contract/route.ts'

/** A refusal that also names the reason, for programs. */
export class ApiError extends Refusal {
  readonly code: string | null

  constructor(
    status: Refusal['status'],
    message: string,
    named: { readonly param?: string; readonly code?: string } = {},
  ) {
    super(status, message, { param: named.param })
    this.code = named.code ?? null
  }
}

/** An error in the form that clients of such an API know. */
export function errorBody(refusal: Refusal) {
  const { message, status, param } = refusal
  const type = TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error')
  const code = refusal instanceof ApiError ? refusal.code : null
  return { error: { message, type, param, code } }
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
}
