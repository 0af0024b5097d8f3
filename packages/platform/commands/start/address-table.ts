import { removePasswords } from '../../../../local/postgres/remove-passwords.ts'
import { formatCommandLine } from '../../../../local/process/format-command-line.ts'
import type { Facts } from '../../facts.ts'
import { DEMO } from '../../first-data/demo-data.ts'

/** The text instead of the database password, in the table and on the start page. Every local program can read that page. */
export const PASSWORD_PLACE = 'The password is in platform.json in the data folder'

/** Returns the table that `npm start` prints: addresses, credentials, and the next command to try. */
export function addressTable(facts: Facts): string {
  const rows: [name: string, value: string][] = [
    ['Portal', facts.baseUrl],
    ['What runs here', `${facts.baseUrl}/local`],
    ['Developer API', `${facts.baseUrl}/docs`],
    ['GraphQL', `${facts.baseUrl}/v1/graphql`],
    ['Prices', `${facts.baseUrl}/public/v1/miniapps/prices`],
    ['Sign-in server', facts.authUrl],
    ['  demo website', facts.demoUrl],
    ['  simulator', facts.simulatorUrl],
    ['GraphQL engine', facts.hasura.endpoint],
    ...consoleRow(facts),
    ['  admin secret', facts.hasura.adminSecret],
    ['Mail', facts.mailUrl],
    ['Local chain', facts.rpcUrl],
    ['PostgreSQL', `${removePasswords(facts.databaseUrl)}  ${PASSWORD_PLACE}`],
    ...dataRow(facts),
    ['Demo team', ''],
    ['  API key', facts.apiKey],
    ['  client secret', facts.clientSecret],
    ...DEMO.map(({ name, id, note }): [string, string] => [
      `  ${name.toLowerCase()}`,
      `${id}  ${note}`,
    ]),
  ]
  const lines = rows.map(([name, value]) => `  ${name.padEnd(18)}${value}`)
  return [
    '',
    ...lines,
    '',
    `Ready. Try in another terminal: ${formatCommandLine('demo')}`,
    '',
  ].join('\n')
}

function dataRow({ databaseFolder }: Facts): [name: string, value: string][] {
  return databaseFolder === null ? [] : [['  data', databaseFolder]]
}

function consoleRow({ hasura: { consoleUrl } }: Facts): [name: string, value: string][] {
  return consoleUrl === null ? [] : [['  console', consoleUrl]]
}
