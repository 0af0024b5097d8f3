import type { Log } from './log/log.ts'

/** What tells a process to end; `disconnect` means that its parent process, which held the IPC channel, has ended. */
const STOP_EVENTS = ['SIGTERM', 'SIGINT', 'disconnect']

/** Calls `stop`, once, when this process is told to end. */
export function stopOnSignal(log: Log, stop: () => Promise<void>): void {
  let isStopping = false
  const stopOnce = async () => {
    // On Ctrl-C a process gets two signals: the terminal sends one, and `npm run` passes its own on.
    if (isStopping) return
    isStopping = true
    log.info('stopping')
    await stop()
  }
  for (const event of STOP_EVENTS) process.on(event, stopOnce)
  // The parent process ended before the listeners were added. Without an IPC channel this is undefined.
  if (process.connected === false) void stopOnce()
}
