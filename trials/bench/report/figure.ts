/** A measured figure, with its baseline and target. */
export type Figure = {
  name: string
  value: number
  unit: string
  /** The baseline's value, from the same run and in the same unit. */
  baseline?: number
  /** The target for `value` ÷ `baseline`, or for `value` without a baseline. */
  target?: FigureTarget
  /** Further details. */
  note?: string
}

export type FigureTarget = { atLeast: number } | { atMost: number }

/** Computes `value` ÷ `baseline`; null without a baseline. */
export function computeRatio({ value, baseline }: Figure): number | null {
  return baseline === undefined ? null : value / baseline
}

/** Reports whether a figure meets its target; null without a target. */
export function meetsTarget(figure: Figure): boolean | null {
  if (!figure.target) return null
  const reached = computeRatio(figure) ?? figure.value
  return 'atLeast' in figure.target
    ? reached >= figure.target.atLeast
    : reached <= figure.target.atMost
}

/** Computes the value below which the share `p` (0 to 1) of the samples lies. */
export function percentile(samples: readonly number[], p: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN
}
