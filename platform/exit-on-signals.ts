/** Makes of Ctrl-C an exit, with which the database and the chain end too: the signal alone would leave them. */
export function exitOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(1))
}
