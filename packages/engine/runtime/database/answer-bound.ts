import type { Pool, PoolClient } from 'pg'

/** The error for a result of PostgreSQL that exceeds the limit. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge'
}

/**
 * Ends a connection of the pool that receives more than `maxBytes` between its acquisition and its release. A result is completely
 * in memory before the engine sends it on, so its size must be limited.
 */
export function boundAnswers(pool: Pool, maxBytes: number): void {
  const byteCounts = new WeakMap<PoolClient, number>()
  pool.on('acquire', (client) => byteCounts.set(client, 0))
  pool.on('connect', (client) => {
    const { stream } = client.connection
    stream.on('data', (chunk: Buffer) => {
      const bytes = (byteCounts.get(client) ?? 0) + chunk.length
      byteCounts.set(client, bytes)
      if (bytes > maxBytes) stream.destroy(new AnswerTooLarge(`more than ${maxBytes} bytes`))
    })
  })
}
