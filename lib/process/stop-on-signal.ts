import type { Log } from '../telemetry/log.ts'

/** `disconnect`: the parent process, which held the IPC channel, is gone. */
const ENDINGS = ['SIGTERM', 'SIGINT', 'disconnect']

/** Calls `stop`, once, when this process is told to end. */
export function stopOnSignal(log: Log, stop: () => Promise<void>): void {
  let isStopping = false
  const stopOnce = async () => {
    // A second signal changes nothing: `npm run` passes on a Ctrl-C that the terminal has sent here as well.
    if (isStopping) return
    isStopping = true
    log.info('stopping')
    await stop()
  }
  for (const event of ENDINGS) process.on(event, stopOnce)
  // The parent process was gone before the listeners were there; without an IPC channel this is undefined.
  if (process.connected === false) void stopOnce()
}
