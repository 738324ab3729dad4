/** The type of a file by its content. Its name, and what the platform says of it, may be wrong. */
export interface ContentType {
  readonly mime: string
  readonly width?: number
  readonly height?: number
}

export function contentTypeOf(bytes: Uint8Array): ContentType {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found = signatures.find(({ fits }) => fits(buffer))
  if (found !== undefined) return { mime: found.mime, ...found.size?.(buffer) }
  if (!isText(buffer)) return { mime: 'application/octet-stream' }
  return { mime: HTML.test(buffer.toString('latin1', 0, HEAD_BYTES)) ? 'text/html' : 'text/plain' }
}

/** Whether an image has a size and is not cut off, as far as its frame tells without decoding it. */
export function isWholeImage(bytes: Uint8Array): boolean {
  const { mime, width = 0, height = 0 } = contentTypeOf(bytes)
  if (!mime.startsWith('image/') || width === 0 || height === 0) return false
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (mime === 'image/png') return buffer.includes('IEND', 24, 'latin1')
  return mime !== 'image/webp' || buffer.readUInt32LE(4) + 8 <= buffer.length
}

interface Size {
  readonly width: number
  readonly height: number
}

interface Signature {
  readonly mime: string
  readonly fits: (bytes: Buffer) => boolean
  readonly size?: (bytes: Buffer) => Size | undefined
}

const HEAD_BYTES = 1_024
const HTML =
  /^(?:\xEF\xBB\xBF)?\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^>]*-->\s*)*<(?:!doctype html|html|head|body)\b/i

const signatures: readonly Signature[] = [
  { mime: 'image/png', fits: begins('\x89PNG\r\n\x1A\n'), size: pngSize },
  { mime: 'image/jpeg', fits: begins('\xFF\xD8\xFF'), size: jpegSize },
  { mime: 'image/gif', fits: (bytes) => /^GIF8[79]a/.test(at(bytes, 0, 6)), size: gifSize },
  { mime: 'image/webp', fits: riff('WEBP'), size: webpSize },
  { mime: 'audio/wav', fits: riff('WAVE') },
  // Some programs put a few bytes before it, and readers of PDF accept that.
  { mime: 'application/pdf', fits: (bytes) => at(bytes, 0, HEAD_BYTES).includes('%PDF-') },
  { mime: 'audio/ogg', fits: begins('OggS') },
  { mime: 'audio/mpeg', fits: (bytes) => begins('ID3')(bytes) || isMpegFrame(bytes) },
  { mime: 'audio/mp4', fits: (bytes) => /^ftyp(?:M4A|M4B)/.test(at(bytes, 4, 12)) },
  { mime: 'video/mp4', fits: (bytes) => at(bytes, 4, 8) === 'ftyp' },
  { mime: 'audio/flac', fits: begins('fLaC') },
  // Browsers record voice in it.
  { mime: 'audio/webm', fits: begins('\x1A\x45\xDF\xA3') },
]

function at(bytes: Buffer, from: number, to: number): string {
  return bytes.toString('latin1', from, to)
}

function begins(start: string) {
  return (bytes: Buffer): boolean => at(bytes, 0, start.length) === start
}

function riff(form: string) {
  return (bytes: Buffer): boolean => at(bytes, 0, 4) === 'RIFF' && at(bytes, 8, 12) === form
}

/** Eleven bits of ones, then a layer and a bit rate that exist. */
function isMpegFrame(bytes: Buffer): boolean {
  const [first, second = 0, third = 0] = bytes
  return first === 0xff && (second & 0xe6) === 0xe2 && third >> 4 !== 0xf && bytes.length > 4
}

function pngSize(bytes: Buffer): Size | undefined {
  return bytes.length < 24 ? undefined : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function gifSize(bytes: Buffer): Size | undefined {
  return bytes.length < 10 ? undefined : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

function webpSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 30) return undefined
  switch (at(bytes, 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    default:
      return undefined
  }
}

/** Goes from segment to segment until one says the size of the frame. */
function jpegSize(bytes: Buffer): Size | undefined {
  for (let place = 2; place + 9 <= bytes.length && bytes[place] === 0xff;) {
    const marker = bytes[place + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: bytes.readUInt16BE(place + 5), width: bytes.readUInt16BE(place + 7) }
    // A marker may be preceded by any number of filling bytes.
    place += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(place + 2)
  }
  return undefined
}

/** The ending of a file name for this type. */
export function endingOf(mime: string): string {
  return ENDINGS[mime] ?? mime.slice(mime.indexOf('/') + 1)
}

const ENDINGS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'text/plain': 'txt',
  'application/octet-stream': 'bin',
}

/** The control characters that occur in texts: layout and colours. */
const LAYOUT = new Set(Buffer.from('\b\t\n\v\f\r\x1B'))

function isText(bytes: Buffer): boolean {
  if (bytes.length === 0) return false
  const isWide = /^(?:\xFF\xFE|\xFE\xFF)/.test(at(bytes, 0, 2))
  return isWide || bytes.every((byte) => byte >= 0x20 || LAYOUT.has(byte))
}
