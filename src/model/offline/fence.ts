const FENCE = /<data source="[^"\n]*">\n([\s\S]*?)\n<\/data>/g

/** What may stand between the characters of a tag, as where fences are made. */
const GAP = String.raw`[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*`
const ESCAPED = new RegExp(String.raw`&lt;(?=${GAP}(?:/${GAP})?${'data'.split('').join(GAP)}\b)`, 'giu')

/** Texts from elsewhere are fenced for models; an answer is for people, and quotes them word for word. */
export function withoutFences(text: string): string {
  return text.replaceAll(FENCE, (_, inside: string) => asTyped(inside))
}

/** What stood in a fence, with its own tags as they were typed. */
export function asTyped(inside: string): string {
  return inside.replaceAll(ESCAPED, '<')
}
