import { signUpSomebody } from '../fuzz/sign-up.ts'
import type { Facts } from '../platform/facts.ts'
import type { Target } from './neighbours.ts'

/** What an attacker has: the key of the other team, and an account that has only signed up. */
export async function attackerOf({ baseUrl, otherApiKey }: Facts): Promise<Target> {
  return { baseUrl, apiKey: otherApiKey, newAccount: await signUpSomebody(baseUrl) }
}
