import type { Difference } from './compare/difference.ts'
import { describeReproduction, type Reproduction } from './reproduction.ts'

/** What a run has found so far. */
export type Summary = {
  /** Counts an operation on which both agree. */
  agree(): void
  /** Counts a difference that is on purpose. */
  excuse(reason: string): void
  /** Counts one that is not. @returns whether it is the first of its kind, and there are not too many kinds yet */
  differ(found: Difference): boolean
  /** Prints a difference as small as it could be made. */
  show(reproduction: Reproduction): void
  /** Prints the counts. @returns whether there was no difference but those on purpose */
  finish(): boolean
}

/** So many kinds of differences are shown in full. */
const MAX_SHOWN = 10

/** Begins to count. */
export function startSummary(): Summary {
  let alike = 0
  let different = 0
  const excused = new Map<string, number>()
  const kinds = new Map<string, number>()
  return {
    agree() {
      alike += 1
    },
    excuse(reason) {
      excused.set(reason, (excused.get(reason) ?? 0) + 1)
    },
    differ({ kind, summary }) {
      different += 1
      const key = `${kind}: ${withoutValues(summary)}`
      const times = kinds.get(key) ?? 0
      kinds.set(key, times + 1)
      return times === 0 && kinds.size <= MAX_SHOWN
    },
    show: (reproduction) => console.info(`\n${describeReproduction(reproduction)}\n`),
    finish() {
      const total = alike + different + [...excused.values()].reduce((sum, n) => sum + n, 0)
      for (const [reason, n] of excused) console.info(`on purpose ${n} times: ${reason}`)
      for (const [kind, n] of kinds) console.info(`DIFFERENT ${n} times: ${kind}`)
      console.info(`${alike} of ${total} operations alike, ${different} different`)
      return different === 0
    },
  }
}

/** A kind of difference has no names and numbers in it. */
function withoutValues(summary: string): string {
  return summary
    .replaceAll(/'[^']*'|"[^"]*"/g, '…')
    .replaceAll(/\d+/g, '0')
    .slice(0, 160)
}
