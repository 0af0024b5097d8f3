import { z } from 'zod'

const KeySet = z.object({ keys: z.array(z.unknown()) })

type Platform = { baseUrl: string; internalSecret: string }

/**
 * Creates a key for verification tokens if there is none, as an operator does once.
 *
 * @throws Error if the developer API answers with an error
 */
export async function createFirstKey({ baseUrl, internalSecret }: Platform): Promise<void> {
  const keySet = await fetch(`${baseUrl}/api/v1/jwks`)
  if (KeySet.parse(await keySet.json()).keys.length > 0) return
  const response = await fetch(`${baseUrl}/api/_jwk-gen`, {
    method: 'POST',
    headers: { authorization: `Bearer ${internalSecret}` },
  })
  if (!response.ok)
    throw new Error(
      `The developer API created no signing key: ${response.status} ${await response.text()}`,
    )
}
