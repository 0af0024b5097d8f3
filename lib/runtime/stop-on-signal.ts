import type { Log } from './log/log.ts'

/** The events that end a process. `disconnect` means that the parent process, which had the IPC channel, has ended. */
const STOP_EVENTS = ['SIGTERM', 'SIGINT', 'disconnect']

/** Calls `stop` once, at the first of these events. */
export function stopOnSignal(log: Log, stop: () => Promise<void>): void {
  let isStopping = false
  const stopOnce = async () => {
    // On Ctrl-C a process gets two signals: from the terminal and from `npm run`.
    if (isStopping) return
    isStopping = true
    log.info('stopping')
    await stop()
  }
  for (const event of STOP_EVENTS) process.on(event, stopOnce)
  // `connected` is false if the parent process ended before the listeners were added. Without an IPC channel, `connected`
  // is undefined.
  if (process.connected === false) void stopOnce()
}
