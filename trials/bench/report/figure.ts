/** One measured figure, and what it is compared with. */
export type Figure = {
  name: string
  value: number
  unit: string
  /** The baseline's value, from the same run and in the same unit. */
  baseline?: number
  /** The target for `value` ÷ `baseline`, or for `value` where there is no baseline. */
  target?: FigureTarget
  /** What else is worth knowing about it. */
  note?: string
}

export type FigureTarget = { atLeast: number } | { atMost: number }

/** `value` ÷ `baseline`, if there is one. */
export function computeRatio({ value, baseline }: Figure): number | null {
  return baseline === undefined ? null : value / baseline
}

/** Whether a figure meets its target; null where there is none. */
export function meetsTarget(figure: Figure): boolean | null {
  if (!figure.target) return null
  const reached = computeRatio(figure) ?? figure.value
  return 'atLeast' in figure.target
    ? reached >= figure.target.atLeast
    : reached <= figure.target.atMost
}

/** The value below which a share `p` (0 to 1) of the samples lies. */
export function percentile(samples: readonly number[], p: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN
}
