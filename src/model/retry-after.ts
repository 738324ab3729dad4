/** Header names in lower case. */
export type Headers = Readonly<Record<string, string | undefined>>

/** When the provider wants to be asked again, in whichever of the four ways it says so. */
export function retryAfterMsOf(
  said: { readonly headers?: Headers | undefined; readonly kind?: string | undefined },
  now: number,
): number | undefined {
  const { headers = {}, kind = '' } = said
  return (
    milliseconds(headers['retry-after-ms']) ??
    seconds(headers['retry-after']) ??
    untilDate(headers['retry-after'], now) ??
    // Google puts it into the body, as the duration of a protocol buffer.
    seconds(/"retryDelay"\s*:\s*"([\d.]+)s"/.exec(kind)?.[1])
  )
}

function milliseconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(?:\.\d+)?$/.test(text.trim()) ? Math.ceil(Number(text)) : undefined
}

function seconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(?:\.\d+)?$/.test(text.trim())
    ? Math.ceil(Number(text) * 1000)
    : undefined
}

function untilDate(text: string | undefined, now: number): number | undefined {
  const at = text === undefined ? Number.NaN : Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
