/**
 * Removes parts of a list while the condition holds: first halves, then smaller and smaller parts (delta debugging, Zeller and
 * Hildebrandt 2002).
 *
 * @param holds resolves to true if a shorter list still meets the condition
 */
export async function smallerList<T>(
  list: readonly T[],
  holds: (part: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let current = list
  for (
    let size = Math.ceil(current.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  )
    for (let at = current.length - size; at > -size; ) {
      const from = Math.max(0, at)
      const without = [...current.slice(0, from), ...current.slice(at + size)]
      if (without.length < current.length && (await holds(without))) current = without
      at = Math.min(from, current.length) - size
    }
  return current
}
