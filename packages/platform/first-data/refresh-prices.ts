import { z } from 'zod'

const Refreshed = z.object({ missing: z.array(z.unknown()) })

type Platform = { baseUrl: string; internalSecret: string }

/**
 * Refreshes the prices now; the schedule would do so within a minute.
 *
 * @throws Error when the answer is not the one that a working platform gives
 */
export async function refreshPrices({ baseUrl, internalSecret }: Platform): Promise<void> {
  const response = await fetch(`${baseUrl}/api/_prices`, {
    method: 'POST',
    headers: { authorization: `Bearer ${internalSecret}` },
  })
  const answer: unknown = await response.json()
  if (!response.ok || Refreshed.parse(answer).missing.length > 0)
    throw new Error(`There are no prices: ${response.status} ${JSON.stringify(answer)}`)
}
