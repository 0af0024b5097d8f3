import { Agent, request } from 'node:http'

export type Call = { path: string; body: string }
export type Sample = { status: number; ms: number }

/**
 * Sends every call once, `connections` at a time, the next as soon as one is answered.
 *
 * @returns the samples in order of completion, and how long all of it took
 */
export async function closedLoop(
  baseUrl: string,
  calls: readonly Call[],
  connections: number,
): Promise<{ samples: Sample[]; seconds: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const samples: Sample[] = []
  const queue = calls.values()
  const started = performance.now()
  const work = async () => {
    for (const call of queue) samples.push(await send(agent, baseUrl, call))
  }
  await Promise.all(Array.from({ length: connections }, work))
  agent.destroy()
  return { samples, seconds: (performance.now() - started) / 1_000 }
}

/**
 * Sends calls at a fixed rate whatever happens to the ones before, as independent callers do; the
 * time of a call counts from when it was due.
 */
export async function openLoop(
  baseUrl: string,
  calls: readonly Call[],
  perSecond: number,
): Promise<Sample[]> {
  const agent = new Agent({ keepAlive: true })
  const started = performance.now()
  const samples = calls.map(async (call, i) => {
    const due = started + (i * 1_000) / perSecond
    await new Promise((resolve) => setTimeout(resolve, due - performance.now()))
    const { status } = await send(agent, baseUrl, call)
    return { status, ms: performance.now() - due }
  })
  const all = await Promise.all(samples)
  agent.destroy()
  return all
}

function send(agent: Agent, baseUrl: string, { path, body }: Call): Promise<Sample> {
  const started = performance.now()
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const call = request(`${baseUrl}${path}`, { method: 'POST', agent, headers }, (response) => {
      response.resume().once('end', () => {
        resolve({ status: response.statusCode ?? 0, ms: performance.now() - started })
      })
    })
    call.once('error', reject).end(body)
  })
}
