/** One measured figure, beside what it is compared with. */
export type Row = {
  name: string
  value: number
  unit: string
  /** The same measurement of the baseline, in the same run. */
  baseline?: number
  /** `value` ÷ `baseline`, in the sense in which more is better. */
  ratio?: number
  /** What `ratio`, or else `value`, should reach. */
  target?: number
  /** What else is worth knowing about it. */
  note?: string
}

/** The value below which the share `p` of all samples lies. */
export function percentile(samples: readonly number[], p: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN
}
