/** Something between here and a web server failed, or was not allowed. The message is for whoever asked for it. */
export class WebError extends Error {
  override readonly name = 'WebError'
}

const DEFAULT_WORDS = 'the connection failed'

/** What a failure of the network means, in words. */
export function wordsFor(error: unknown): string {
  const code = codeOf(error)
  const known = WORDS.find(([codes]) => codes.test(code))
  if (known !== undefined) return known[1]
  return code === '' ? DEFAULT_WORDS : `${DEFAULT_WORDS} (${code})`
}

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:ENOTFOUND|ENODATA|EAI_NONAME)$/, 'no such host is known'],
  [/^EAI_/, 'the name of the host could not be looked up just now'],
  [/^ECONNREFUSED$/, 'nothing listens there'],
  [/^(?:ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/, 'the server broke the connection off'],
  [/^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/, 'the host cannot be reached'],
  [/^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT)/, 'its certificate is not trusted'],
  [/^(?:ERR_SSL_|EPROTO$)/, 'no encrypted connection could be made'],
  [/^HPE_HEADER_OVERFLOW$/, 'the headers of its answer are too long'],
  [/^HPE_/, 'what it answered is not HTTP'],
  [/^(?:Z_|ERR__ERROR|ERR_BROTLI)/, 'its answer is packed in a broken way'],
]

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return ''
  return typeof error.code === 'string' && /^\w{1,60}$/.test(error.code) ? error.code : ''
}
