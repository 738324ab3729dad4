const HALF_BITS = 16
const HALF_MASK = 0xffff

/** The value that `count` of the values reach, so that about as many are at or above it; 0 when there are no more. */
export function thresholdFor(values: Float32Array, count: number): number {
  if (values.length <= count) return 0
  // The bits of positive numbers have the order of the numbers: counting them takes linear time, sorting would not.
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length)
  const highs = new Uint32Array(HALF_MASK + 1)
  for (let at = 0; at < bits.length; at++) {
    const half = (bits[at] as number) >>> HALF_BITS
    if ((values[at] as number) > 0) highs[half] = (highs[half] as number) + 1
  }
  const high = ofRank(highs, count)
  if (high === null) return 0
  const lows = new Uint32Array(HALF_MASK + 1)
  for (let at = 0; at < bits.length; at++) {
    const half = (bits[at] as number) & HALF_MASK
    if ((bits[at] as number) >>> HALF_BITS === high.half && (values[at] as number) > 0)
      lows[half] = (lows[half] as number) + 1
  }
  const found = ((high.half << HALF_BITS) | (ofRank(lows, high.left)?.half ?? 0)) >>> 0
  return new Float32Array(Uint32Array.of(found).buffer)[0] as number
}

/** The half in which the value of this rank lies, and its rank among those with the same half. */
function ofRank(counts: Uint32Array, rank: number): { half: number; left: number } | null {
  let left = rank
  for (let half = HALF_MASK; half >= 0; half--) {
    const count = counts[half] as number
    if (count >= left) return count === 0 ? null : { half, left }
    left -= count
  }
  return null
}

/** Indices of the largest values above zero, the largest first; of equal ones the earlier first. */
export function largest(values: Float32Array, count: number): number[] {
  const from = thresholdFor(values, count)
  const above: number[] = []
  const equal: number[] = []
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number
    if (value > from) above.push(index)
    else if (value === from && value > 0 && equal.length < count) equal.push(index)
  }
  const sorted = above.toSorted((a, b) => (values[b] as number) - (values[a] as number) || a - b)
  return [...sorted, ...equal].slice(0, count)
}
