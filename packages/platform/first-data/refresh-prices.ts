import { z } from 'zod'

const RefreshResult = z.object({ missing: z.array(z.unknown()) })

type Platform = { baseUrl: string; internalSecret: string }

/**
 * Refreshes the prices now. Otherwise there would be no prices until the schedule refreshes them, up to a minute later.
 *
 * @throws Error if the developer API does not return all prices
 */
export async function refreshPrices({ baseUrl, internalSecret }: Platform): Promise<void> {
  const response = await fetch(`${baseUrl}/api/_prices`, {
    method: 'POST',
    headers: { authorization: `Bearer ${internalSecret}` },
  })
  const answer: unknown = await response.json()
  if (!response.ok || RefreshResult.parse(answer).missing.length > 0)
    throw new Error(`The developer API has no prices: ${response.status} ${JSON.stringify(answer)}`)
}
