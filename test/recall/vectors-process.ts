import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Embedder } from '../../src/recall/contract/embedder.ts'
import { Follower } from '../../src/recall/index/follower.ts'
import { openTextIndex } from '../../src/recall/index/sqlite-index.ts'
import { documentPlaces, openVectors } from '../../src/recall/vector/sqlite-vectors.ts'
import { staticEncoder } from '../../src/recall/vector/static-encoder.ts'
import { VectorFollower } from '../../src/recall/vector/vector-follower.ts'
import { openForReading } from '../../src/runtime/home/open-log.ts'

/** Makes the vectors of a home, a few for each line of its input, and says how many there are after each batch. */
const home = process.argv[2] ?? ''
const log = openForReading(home)
const place = { file: join(home, 'recall.db') }
const index = openTextIndex(place)
await new Follower({ log, index }).catchUp()
const input = createInterface({ input: process.stdin })
const lines = input[Symbol.asyncIterator]()
const encoder = staticEncoder()
const embedder: Embedder = {
  ...encoder,
  batchMax: 10,
  embed: async (texts) => {
    await lines.next()
    return encoder.embed(texts)
  },
}
const vectors = openVectors({
  place,
  embedder,
  places: documentPlaces(index),
})
await new VectorFollower({ log, index, vectors, embedder }).catchUp({
  progress: (done) => console.log(done),
})
vectors.close()
index.close()
await log.close()
input.close()
