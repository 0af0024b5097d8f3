import type { Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import type { TestPlatform } from '../webhooks/start-platform.ts'

/** Stores the address of an app's request signing key, as the action create_request_key does. */
export async function addRequestKey(
  { db }: Pick<TestPlatform, 'db'>,
  { app, privateKey }: { app: string; privateKey: Hex },
): Promise<void> {
  await db.query('insert into request_key (app_id, address) values ($1, $2)', [
    app,
    privateKeyToAddress(privateKey).toLowerCase(),
  ])
}
