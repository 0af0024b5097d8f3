/** Does a step of the start, and shows on the terminal what it is and how long it took. */
export async function showStep<T>(what: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now()
  const terminal = process.stdout.isTTY
  if (terminal) process.stdout.write(`  … ${what}`)
  // A long step shows that it is alive even where its line cannot be rewritten.
  const patience = setTimeout(() => terminal || process.stdout.write(`  … ${what}\n`), 1_000)
  try {
    const made = await work()
    const seconds = ((performance.now() - started) / 1_000).toFixed(1)
    process.stdout.write(`${terminal ? '\r' : ''}  ✓ ${what} (${seconds} s)\n`)
    return made
  } catch (error) {
    process.stdout.write(`${terminal ? '\r' : ''}  ✗ ${what}\n`)
    throw error
  } finally {
    clearTimeout(patience)
  }
}
