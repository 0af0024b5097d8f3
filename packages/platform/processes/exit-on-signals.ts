/** Turns Ctrl-C into an exit, whose handlers end the database and the chain. A signal would leave them running. */
export function exitOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(1))
}
