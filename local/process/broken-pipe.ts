/**
 * Ends this process quietly when the reader of its output ends, as in `npm run demo | head`. Otherwise Node would
 * print a stack trace.
 */
export function exitOnBrokenPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(0)
  })
}
