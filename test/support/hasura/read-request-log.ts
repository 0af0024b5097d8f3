import { expect } from 'vitest'
import type { Database } from '../database.ts'

type LoggedRequest = {
  endpoint: string
  code: string
  attribute: string | null
  detail: string
  reasons: string[]
  request_id: string
  times: number
}

/** Waits until an app's request log has `length` rows, and returns the rows, the oldest first. */
export async function readRequestLog(
  db: Pick<Database, 'query'>,
  app: string,
  length: number,
): Promise<LoggedRequest[]> {
  const read = async () => {
    const { rows } = await db.query<LoggedRequest>(
      `select endpoint, code, attribute, detail, reasons, request_id, times
       from refused_request where app_id = $1 order by created_at, id`,
      [app],
    )
    return rows
  }
  await expect
    .poll(async () => (await read()).length, { timeout: 10_000 })
    .toBeGreaterThanOrEqual(length)
  return read()
}
