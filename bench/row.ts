/** One measured figure, beside what it is compared with. */
export type Row = {
  name: string
  value: number
  unit: string
  /** The same of the baseline, in the same run and the same unit. */
  baseline?: number
  /** What `value` ÷ `baseline` should be, or `value` itself where there is no baseline. */
  wanted?: Wanted
  /** What else is worth knowing about it. */
  note?: string
}

export type Wanted = { atLeast: number } | { atMost: number }

/** `value` ÷ `baseline`, if there is one. */
export function ratioOf({ value, baseline }: Row): number | null {
  return baseline === undefined ? null : value / baseline
}

/** Whether a figure is what is wanted; null where nothing in particular is. */
export function isMet(row: Row): boolean | null {
  if (!row.wanted) return null
  const reached = ratioOf(row) ?? row.value
  return 'atLeast' in row.wanted ? reached >= row.wanted.atLeast : reached <= row.wanted.atMost
}

/** The value below which the share `p` of all samples lies. */
export function percentile(samples: readonly number[], p: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN
}
