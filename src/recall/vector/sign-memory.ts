import type { Signs } from './sign-scan.ts'
import type { RowLayout } from './vector-rows.ts'
import type { VectorStore } from './vector-store.ts'

const BLOCK_DOCUMENTS = 16_384

/** The signs of all documents in memory, read at the first scan and then as documents are added, by whomever. */
export function signMemory(store: VectorStore, { signWords }: RowLayout): { upToNow(): Signs } {
  const rowBytes = 4 * signWords
  const blocks: Uint32Array[] = []
  let [set, loaded] = [0, 0]
  return {
    upToNow() {
      const now = store.state()
      if (now.set !== set || now.count < loaded) {
        blocks.length = 0
        loaded = 0
        set = now.set
      }
      const files = loaded < now.count ? store.files(set) : null
      while (loaded < now.count) {
        if (files === null) break
        const number = Math.floor(loaded / BLOCK_DOCUMENTS)
        const block = (blocks[number] ??= new Uint32Array(BLOCK_DOCUMENTS * signWords))
        const end = Math.min(now.count, (number + 1) * BLOCK_DOCUMENTS)
        const from = loaded - number * BLOCK_DOCUMENTS
        const into = new Uint8Array(block.buffer, from * rowBytes, (end - loaded) * rowBytes)
        // What cannot be read stays without signs: a rough search misses it, an exact one does not.
        files.signs.read(into, loaded * rowBytes)
        loaded = end
      }
      return { blocks, count: loaded, blockDocuments: BLOCK_DOCUMENTS, words: signWords }
    },
  }
}
