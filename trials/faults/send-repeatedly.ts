import { Agent, request } from 'node:http'

/** A request of an attacker. */
export type Attempt = { url: string; headers: Record<string, string>; body: string }

/**
 * Keeps so many requests under way until `signal` is aborted.
 *
 * @param localAddress the address that they come from, if not the usual one: on Linux all of 127.0.0.0/8 is this machine
 */
export async function sendRepeatedly(
  makeAttempt: () => Attempt,
  { at, signal, localAddress }: { at: number; signal: AbortSignal; localAddress?: string },
): Promise<void> {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: at,
    ...(localAddress && { localAddress }),
  })
  signal.addEventListener('abort', () => agent.destroy())
  const work = async () => {
    while (!signal.aborted) await sendAttempt(agent, makeAttempt())
  }
  await Promise.all(Array.from({ length: at }, work))
}

/** Resolves when the answer has been read, or the connection has ended: the platform may cut off whom it likes. */
function sendAttempt(agent: Agent, { url, headers, body }: Attempt): Promise<void> {
  return new Promise((resolve) => {
    const call = request(url, { agent, method: 'POST', headers }, (response) => {
      response.resume().once('close', resolve)
    })
    call.once('error', () => resolve())
    call.end(body)
  })
}
