/** What may stand between the characters of a tag without a reader minding. */
const GAP = String.raw`[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*`
const FENCE_TAG = new RegExp(String.raw`<(?=${GAP}(?:/${GAP})?${'data'.split('').join(GAP)}\b)`, 'giu')

/** Text from elsewhere is data, whatever it says (SAFE2). */
export function fence(source: string, text: string): string {
  const inside = text.replaceAll(FENCE_TAG, '&lt;')
  return `<data source="${source.replaceAll(/["<>\s]+/g, '-')}">\n${inside}\n</data>`
}
