import type { Prompt, PromptImage } from '../../event/prompt.ts'

/** Reads a stored image; undefined: it is not there any more. */
export type ReadImage = (hash: string) => Promise<Uint8Array | undefined>

/** An image of a prompt as a model gets it: its bytes, or a sentence in its place. */
export type ShownImage = (image: PromptImage) => Uint8Array | string

/** Within what every provider accepts. A larger one would make it refuse the conversation from then on. */
const IMAGE_BYTES_MAX = 3_700_000
const IMAGE_PIXELS_MAX = 8_000
const PROMPT_BYTES_MAX = 14_000_000
const PROMPT_IMAGES_MAX = 20

/** Loads the images of a prompt. If there are too many for one request, the newest are shown. */
export async function showImages(prompt: Prompt, read: ReadImage | undefined): Promise<ShownImage> {
  const shown = new Map<string, Uint8Array | string>()
  let [bytes, count] = [0, 0]
  for (const image of imagesIn(prompt).toReversed()) {
    if (shown.has(image.hash)) continue
    const { name, width = 0, height = 0 } = image
    bytes += image.bytes
    count++
    if (image.bytes > IMAGE_BYTES_MAX || Math.max(width, height) > IMAGE_PIXELS_MAX)
      shown.set(image.hash, `(an image that is too large to be shown: ${name})`)
    else if (bytes > PROMPT_BYTES_MAX || count > PROMPT_IMAGES_MAX)
      shown.set(image.hash, `(an image that is no longer shown: ${name})`)
    else shown.set(image.hash, (await read?.(image.hash)) ?? `(an image that is no longer stored: ${name})`)
  }
  return (image) => shown.get(image.hash) ?? unseen(image)
}

/** For models that do not see. */
export const unseen: ShownImage = ({ name }) => `(an image that this model cannot see: ${name})`

export function imagesIn({ messages }: Prompt): readonly PromptImage[] {
  return messages.flatMap((message) => (message.role === 'user' ? (message.images ?? []) : []))
}
