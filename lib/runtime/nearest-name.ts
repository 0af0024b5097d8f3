/** A known name, and its edit distance from the unknown name. */
export type NearName = { name: string; distance: number }

/** Finds the known name that is most similar to `name`; null if the list is empty. */
export function findNearestName(name: string, knownNames: readonly string[]): NearName | null {
  const candidates = knownNames.map((other) => ({ name: other, distance: countEdits(name, other) }))
  return candidates.reduce<NearName | null>(
    (best, candidate) => (best && best.distance <= candidate.distance ? best : candidate),
    null,
  )
}

/** Counts the insertions, deletions and replacements that turn `from` into `to` (Levenshtein distance). */
function countEdits(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [row, character] of [...from].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...to].entries()) {
      const replacement = (previous[column] ?? 0) + (character === other ? 0 : 1)
      const insertion = Math.min(previous[column + 1] ?? 0, current[column] ?? 0) + 1
      current.push(Math.min(replacement, insertion))
    }
    previous = current
  }
  return previous.at(-1) ?? 0
}
