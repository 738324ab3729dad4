/** A process that brings an index up to a made-up log's end as fast as it can, in small batches. */
import { writeSync } from 'node:fs'
import { openTextIndex } from '../../src/recall/index/sqlite-index.ts'
import { madeUp } from './made-up.ts'

const [file = '', total = '0'] = process.argv.slice(2)
const index = openTextIndex({ file })
const begun = index.watermark
const documents = madeUp(Number(total))
while (index.watermark < documents.length) {
  const { watermark } = index
  const batch = documents.slice(watermark, watermark + 1 + (watermark % 37))
  index.add(batch, watermark + batch.length)
  if (watermark === begun) writeSync(1, 'begun\n')
}
index.close()
