import { z } from 'zod'
import type { Facts } from '../../packages/platform/facts.ts'
import { createAccount } from '../fuzz/sign-up.ts'
import { APP } from './verify-people.ts'

/** A load: sends requests to the platform until `signal` is aborted. */
export type TrafficSource = (target: Target, signal: AbortSignal) => Promise<void>

/** The platform's addresses, and the neighbour's credentials. */
export const Target = z.object({
  baseUrl: z.string(),
  authUrl: z.string(),
  /** The API key and an app of the neighbour's team. */
  apiKey: z.string(),
  app: z.string(),
  /** The token of an account that has only signed up. */
  newAccount: z.string(),
  /** A client at the sign-in server. */
  client: z.object({ id: z.string(), secret: z.string() }),
  /** The app of the team that must not notice the attack, and a root that proofs for this app use. */
  quietApp: z.string(),
  root: z.string(),
})

export type Target = z.infer<typeof Target>

/** Collects an attacker's credentials: the other team's API key, a new account and a new client. */
export async function createTarget(
  { baseUrl, authUrl, otherApiKey }: Facts,
  root: bigint,
): Promise<Target> {
  return {
    baseUrl,
    authUrl,
    apiKey: otherApiKey,
    app: 'app_staging_00000000000000000000000000000002',
    newAccount: await createAccount(baseUrl),
    client: await registerClient(authUrl),
    quietApp: APP,
    root: String(root),
  }
}

const RegisteredClient = z.object({ client_id: z.string(), client_secret: z.string() })

async function registerClient(authUrl: string): Promise<Target['client']> {
  const response = await fetch(`${authUrl}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: ['https://attacker.example/callback'] }),
  })
  const { client_id: id, client_secret: secret } = RegisteredClient.parse(await response.json())
  return { id, secret }
}
