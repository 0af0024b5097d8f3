/** Resolves when this process is told to end: by Ctrl-C, by a signal, or by the end of its parent. */
export function untilToldToEnd(): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, () => resolve())
  })
}
