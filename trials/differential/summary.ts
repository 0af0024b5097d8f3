import type { Difference } from './compare/difference.ts'
import { describeReproduction, type Reproduction } from './reproduction.ts'

/** The counts of a run. */
export type Summary = {
  /** Counts an operation on which the servers agree. */
  agree(): void
  /** Counts a deliberate difference. */
  excuse(reason: string): void
  /** Counts a difference that is not deliberate. @returns true if the run prints it: the first of each kind, for the first ten kinds */
  differ(difference: Difference): boolean
  /** Prints a difference. */
  show(reproduction: Reproduction): void
  /** Prints the counts. @returns true if all differences were deliberate */
  finish(): boolean
}

/** The number of kinds of differences that are printed in full at most. */
const MAX_PRINTED_KINDS = 10

export function startSummary(): Summary {
  let equalCount = 0
  let differenceCount = 0
  const reasons = new Map<string, number>()
  const kinds = new Map<string, number>()
  return {
    agree() {
      equalCount += 1
    },
    excuse(reason) {
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
    },
    differ({ kind, summary }) {
      differenceCount += 1
      const key = `${kind}: ${withoutValues(summary)}`
      const times = kinds.get(key) ?? 0
      kinds.set(key, times + 1)
      return times === 0 && kinds.size <= MAX_PRINTED_KINDS
    },
    show: (reproduction) => console.info(`\n${describeReproduction(reproduction)}\n`),
    finish() {
      const deliberateCount = [...reasons.values()].reduce((sum, n) => sum + n, 0)
      const total = equalCount + differenceCount + deliberateCount
      for (const [reason, n] of reasons) console.info(`on purpose ${n} times: ${reason}`)
      for (const [kind, n] of kinds) console.info(`DIFFERENT ${n} times: ${kind}`)
      console.info(`${equalCount} of ${total} operations alike, ${differenceCount} different`)
      return differenceCount === 0
    },
  }
}

/** Replaces the names and numbers of a summary, so that differences of one kind have the same text. */
function withoutValues(summary: string): string {
  return summary
    .replaceAll(/'[^']*'|"[^"]*"/g, '…')
    .replaceAll(/\d+/g, '0')
    .slice(0, 160)
}
