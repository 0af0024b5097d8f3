import type { Pool, PoolClient } from 'pg'

/** PostgreSQL has sent more for one turn on a connection than may be sent. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge'
}

/**
 * Ends a connection of the pool that is sent more than so many bytes from the moment it is taken until it is given back:
 * an answer is in memory as a whole before anything of it is passed on.
 */
export function boundAnswers(pool: Pool, maxBytes: number): void {
  const received = new WeakMap<PoolClient, number>()
  pool.on('acquire', (client) => received.set(client, 0))
  pool.on('connect', (client) => {
    const { stream } = client.connection
    stream.on('data', (chunk: Buffer) => {
      const bytes = (received.get(client) ?? 0) + chunk.length
      received.set(client, bytes)
      if (bytes > maxBytes) stream.destroy(new AnswerTooLarge(`more than ${maxBytes} bytes`))
    })
  })
}
