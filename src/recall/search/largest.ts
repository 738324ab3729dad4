/** The value that `count` of the values reach, so that about as many are at or above it; 0 when there are no more. */
export function thresholdFor(values: ArrayLike<number>, count: number): number {
  if (values.length <= count) return 0
  const sorted = Float32Array.from(values).toSorted()
  return sorted[sorted.length - count] as number
}

/** Indices of the largest values above zero, the largest first; of equal ones the earlier first. */
export function largest(values: ArrayLike<number>, count: number): number[] {
  const from = thresholdFor(values, count)
  const found: number[] = []
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number
    if (value > 0 && value >= from) found.push(index)
  }
  return found.toSorted((a, b) => (values[b] as number) - (values[a] as number) || a - b).slice(0, count)
}
