import { z } from 'zod'

const KeySet = z.object({ keys: z.array(z.unknown()) })

type Platform = { baseUrl: string; internalSecret: string }

/**
 * Makes a key for verification tokens if there is none, as an operator does once.
 *
 * @throws Error when the answer is not the one that a working platform gives
 */
export async function makeFirstKey({ baseUrl, internalSecret }: Platform): Promise<void> {
  const published = await fetch(`${baseUrl}/api/v1/jwks`)
  if (KeySet.parse(await published.json()).keys.length > 0) return
  const made = await fetch(`${baseUrl}/api/_jwk-gen`, {
    method: 'POST',
    headers: { authorization: `Bearer ${internalSecret}` },
  })
  if (!made.ok) throw new Error(`No signing key was made: ${made.status} ${await made.text()}`)
}
