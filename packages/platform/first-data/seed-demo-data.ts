import { readFileSync } from 'node:fs'
import { hashSecret } from '../../../lib/runtime/secrets/secret.ts'
import { formatApiKey, hashApiKey } from '../../../webhooks/credentials/api-key.ts'
import type { Secrets } from '../settings/secrets.ts'
import { runSqlThroughHasura } from './run-sql.ts'

type DemoSecrets = Pick<
  Secrets,
  'demoKey' | 'otherKey' | 'demoClientSecret' | 'apiKeyPepper' | 'clientSecretPepper'
>

type SeedOptions = { hasura: { endpoint: string; adminSecret: string }; secrets: DemoSecrets }

const seeds = new URL('../../../hasura/seeds/default/demo.sql', import.meta.url)

/**
 * Inserts the demo data into the database. Existing rows stay unchanged, except that the demo app gets its client secret again.
 *
 * @returns the API keys of the demo team and of the other team
 */
export async function seedDemoData({ hasura, secrets }: SeedOptions) {
  const { statements, keys } = demoData(secrets)
  for (const statement of statements) await runSqlThroughHasura(hasura, statement)
  return keys
}

/** Returns the demo data as SQL, one text per transaction, and its API keys. */
export function demoData(secrets: DemoSecrets) {
  const demo = { id: `key_${'1'.padStart(32, '0')}`, secret: secrets.demoKey }
  const other = { id: `key_${'2'.padStart(32, '0')}`, secret: secrets.otherKey }
  const clientSecretHash = hashSecret([secrets.clientSecretPepper], secrets.demoClientSecret)
  const hashes = [demo, other].map((key) => hashApiKey([secrets.apiKeyPepper], key))
  // Ids and hashes hold no quotes, so they cannot end the SQL literals around them.
  const credentials = `set local platform.fixed_ids = 'on';
    insert into api_key (id, team_id, name, secret_hash)
    values
      ('${demo.id}', 'team_${'1'.padStart(32, '0')}', 'Demo key', '${hashes[0]}'),
      ('${other.id}', 'team_${'2'.padStart(32, '0')}', 'Demo key', '${hashes[1]}')
    on conflict (id) do nothing;
    insert into sign_in_client (app_id, secret_hash)
    values ('app_staging_${'1'.padStart(32, '0')}', '${clientSecretHash}')
    on conflict (app_id) do update set secret_hash = excluded.secret_hash;
    insert into local_development (is_allowed) values (true) on conflict do nothing`
  return {
    statements: [readFileSync(seeds, 'utf8'), credentials],
    keys: { demo: formatApiKey(demo), other: formatApiKey(other) },
  }
}
