/** Characters that a reader overlooks between the letters of a tag. */
const GAP = String.raw`[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*`
const TAG = String.raw`(?=${GAP}(?:/${GAP})?${'data'.split('').join(GAP)}\b)`
const FENCE_TAG = new RegExp(`<${TAG}`, 'giu')
const ESCAPED_TAG = new RegExp(`&lt;${TAG}`, 'giu')
const FENCED = /<data source="[^"\n]*">\n([\s\S]*?)\n<\/data>/g

/** Marks text from elsewhere as data, so that a model does not take it for instructions (SAFE2). */
export function fence(source: string, text: string): string {
  const inside = text.replaceAll(FENCE_TAG, '&lt;')
  return `<data source="${source.replaceAll(/["<>\s]+/g, '-')}">\n${inside}\n</data>`
}

/** Removes fences: they are for models, and people read the text as it was. */
export function withoutFences(text: string): string {
  return text.replaceAll(FENCED, (_, inside: string) => insideFence(inside))
}

/** The inside of a fence as it was typed. */
export function insideFence(inside: string): string {
  return inside.replaceAll(ESCAPED_TAG, '<')
}
