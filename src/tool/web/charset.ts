const LOOKED_AT = 2_048

/** The text that bytes from the web stand for: by their own mark, by what the server says, by what they say, as UTF-8. */
export function textOf(bytes: Uint8Array, contentType: string): string {
  const named = charsetIn(contentType) ?? charsetWithin(bytes)
  return decoderFor(markOf(bytes) ?? named ?? UTF_8).decode(bytes)
}

const UTF_8 = 'utf-8'

/** The mark at the beginning beats all else. */
function markOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return UTF_8
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return undefined
}

function charsetIn(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?([\w:.-]+)/i.exec(contentType)?.[1]
}

/** `<meta charset>`, `<meta http-equiv>` or `<?xml encoding?>`. Readable without a charset, so none of two bytes each. */
function charsetWithin(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, LOOKED_AT)).toString('latin1')
  const named = /<(?:meta|\?xml)\b[^>]{0,300}?\b(?:charset|encoding)\s*=\s*["']?\s*([\w:.-]+)/i.exec(
    start,
  )?.[1]
  return named !== undefined && /^utf-?16/i.test(named) ? UTF_8 : named
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder(UTF_8)
  }
}
