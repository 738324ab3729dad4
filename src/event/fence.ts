/** What may stand between the characters of a tag without a reader minding. */
const GAP = String.raw`[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*`
const TAG = String.raw`(?=${GAP}(?:/${GAP})?${'data'.split('').join(GAP)}\b)`
const FENCE_TAG = new RegExp(`<${TAG}`, 'giu')
const ESCAPED_TAG = new RegExp(`&lt;${TAG}`, 'giu')
const FENCED = /<data source="[^"\n]*">\n([\s\S]*?)\n<\/data>/g

/** Text from elsewhere is data, whatever it says (SAFE2). */
export function fence(source: string, text: string): string {
  const inside = text.replaceAll(FENCE_TAG, '&lt;')
  return `<data source="${source.replaceAll(/["<>\s]+/g, '-')}">\n${inside}\n</data>`
}

/** Fences are for models; a person reads what stands in them, word for word. */
export function withoutFences(text: string): string {
  return text.replaceAll(FENCED, (_, inside: string) => insideFence(inside))
}

/** The inside of a fence as it was typed. */
export function insideFence(inside: string): string {
  return inside.replaceAll(ESCAPED_TAG, '<')
}
