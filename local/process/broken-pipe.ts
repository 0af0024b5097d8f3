/**
 * Ends this process quietly when nobody reads its output any more, as in `npm run demo | head`. Without it, such an end is
 * an error with a stack trace.
 */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(0)
  })
}
