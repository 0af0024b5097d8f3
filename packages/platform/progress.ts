/** Runs a step of the start, and prints its name and duration. */
export async function showStep<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const terminal = process.stdout.isTTY
  if (terminal) process.stdout.write(`  … ${name}`)
  // Without a terminal, a line cannot be rewritten. A step of over a second then prints its name first.
  const timer = setTimeout(() => terminal || process.stdout.write(`  … ${name}\n`), 1_000)
  try {
    const result = await work()
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    process.stdout.write(`${terminal ? '\r' : ''}  ✓ ${name} (${seconds} s)\n`)
    return result
  } catch (error) {
    process.stdout.write(`${terminal ? '\r' : ''}  ✗ ${name}\n`)
    throw error
  } finally {
    clearTimeout(timer)
  }
}
