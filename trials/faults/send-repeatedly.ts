import { Agent, request } from 'node:http'

/** One request of the load. */
export type Attempt = { url: string; headers: Record<string, string>; body: string }

/**
 * Keeps `concurrency` requests under way until `signal` is aborted.
 *
 * @param localAddress the requests' source address, if not the default. On Linux, any address of 127.0.0.0/8 works.
 */
export async function sendRepeatedly(
  makeAttempt: () => Attempt,
  {
    concurrency,
    signal,
    localAddress,
  }: { concurrency: number; signal: AbortSignal; localAddress?: string },
): Promise<void> {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: concurrency,
    ...(localAddress && { localAddress }),
  })
  signal.addEventListener('abort', () => agent.destroy())
  const sendUntilAborted = async () => {
    while (!signal.aborted) await sendAttempt(agent, makeAttempt())
  }
  await Promise.all(Array.from({ length: concurrency }, sendUntilAborted))
}

/** Resolves when the response was read or the connection ended. The platform may close an attacker's connection. */
function sendAttempt(agent: Agent, { url, headers, body }: Attempt): Promise<void> {
  return new Promise((resolve) => {
    const clientRequest = request(url, { agent, method: 'POST', headers }, (response) => {
      response.resume().once('close', resolve)
    })
    clientRequest.once('error', () => resolve())
    clientRequest.end(body)
  })
}
