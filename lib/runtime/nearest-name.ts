/** A known name, and how many characters differ from the name that was looked for. */
export type NearName = { name: string; distance: number }

/** Finds the known name that differs least from `name`; null if no name is known. */
export function findNearestName(name: string, known: readonly string[]): NearName | null {
  const near = known.map((other) => ({ name: other, distance: countEdits(name, other) }))
  return near.reduce<NearName | null>(
    (best, each) => (best && best.distance <= each.distance ? best : each),
    null,
  )
}

/** The least number of characters to insert, delete or replace that makes one text of the other (Levenshtein). */
function countEdits(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [row, character] of [...from].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...to].entries()) {
      const replaced = (previous[column] ?? 0) + (character === other ? 0 : 1)
      const longer = Math.min(previous[column + 1] ?? 0, current[column] ?? 0) + 1
      current.push(Math.min(replaced, longer))
    }
    previous = current
  }
  return previous.at(-1) ?? 0
}
