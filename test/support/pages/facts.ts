import type { Facts } from '../../../packages/platform/facts.ts'

/** Data for the start page, of a platform that does not exist. */
export const FACTS: Facts = {
  baseUrl: 'http://localhost:3000',
  authUrl: 'http://localhost:3001',
  demoUrl: 'http://localhost:3002',
  simulatorUrl: 'http://localhost:3003',
  hasura: {
    endpoint: 'http://localhost:8080',
    adminSecret: 's'.repeat(64),
    consoleUrl: 'http://localhost:8080/console',
  },
  rpcUrl: 'http://127.0.0.1:8545',
  tokens: { usdce: `0x${'c'.repeat(40)}`, wld: `0x${'d'.repeat(40)}` },
  verifiers: { production: '0x01', staging: '0x02' },
  mailUrl: 'http://localhost:8025',
  databaseUrl: `postgres://postgres:${'p'.repeat(64)}@127.0.0.1:10432/platform`,
  databaseFolder: '/home/ada/platform/.data/postgres',
  appId: 'app_staging_00000000000000000000000000000001',
  apiKey: `api_${'k'.repeat(140)}`,
  otherApiKey: 'api_other',
  clientSecret: 'secret',
}
