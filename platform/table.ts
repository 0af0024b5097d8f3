import type { Facts } from './platform.ts'

/** What runs where, what to try it with, and what to try next. */
export function table(facts: Facts): string {
  const rows = [
    ['Developer API', facts.baseUrl],
    ['GraphQL', `${facts.baseUrl}/v1/graphql`],
    ['Sign-in server', facts.authUrl],
    ['  a website', facts.demoUrl],
    ['  simulator', facts.simulatorUrl],
    ['GraphQL engine', facts.hasura.endpoint],
    ['  console', `${facts.hasura.endpoint}/console`],
    ['  admin secret', facts.hasura.adminSecret],
    ['Mail', facts.mailUrl],
    ['Local chain', facts.rpcUrl],
    ['PostgreSQL', facts.databaseUrl],
    ['Demo team', ''],
    ['  API key', facts.apiKey],
    ['  staging app', 'app_staging_00000000000000000000000000000001'],
    ['  its actions', 'vote (once), claim (twice), check-in (unlimited)'],
    ['  of protocol 1', 'wid_staging_0fa2dbde7735834e560fb5ad13146f0c (once)'],
    ['  production app', 'app_b5bf70a63e4ecd0be5f1b754b6675728'],
    ['  its action', 'verify-identity (once)'],
  ]
  const lines = rows.map(([name = '', value]) => `  ${name.padEnd(18)}${value}`)
  return ['', ...lines, '', 'Ready. Try, in another terminal: npm run demo', ''].join('\n')
}
