import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { inject } from 'vitest'

export type Database = {
  url: string
  query: Client['query']
  /** Returns the URL for a role of ops/roles.sql; only for copies of `platform`. */
  as(role: 'hasura' | 'sign_in'): string
  /** Runs a statement as superuser in the default database of the cluster. */
  onCluster(statement: string): Promise<void>
  drop(): Promise<void>
}

/** Creates a database as a copy of `template`; a copy of `template0` is empty. */
export async function database(template = 'template0'): Promise<Database> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const source = template === 'platform' ? inject('platformTemplate') : template
  // On the cluster that the test run starts, copying files takes half as long as copying pages through the WAL.
  const strategy = inject('hasura') ? '' : 'strategy file_copy'
  await onCluster(`create database ${name} template ${source} encoding 'UTF8' ${strategy}`)
  // A copy keeps privileges on objects in the database, but not privileges on the database (ops/roles.sql).
  if (template === 'platform')
    await onCluster(`revoke all on database ${name} from public;
      grant connect on database ${name} to sign_in;
      alter database ${name} owner to hasura`)
  const url = Object.assign(new URL(inject('postgresUrl')), { pathname: `/${name}` }).href
  const client = new Client({ connectionString: url, application_name: 'test' })
  client.on('error', () => {})
  await client.connect()
  const drop = async () => {
    await client.end()
    await onCluster(`drop database if exists ${name} with (force)`)
  }
  const as = (role: 'hasura' | 'sign_in') => {
    const { hasura, signIn } = inject('rolePasswords')
    const password = role === 'hasura' ? hasura : signIn
    return Object.assign(new URL(url), { username: role, password }).href
  }
  return { url, query: client.query.bind(client), as, onCluster, drop }
}

async function onCluster(statement: string) {
  const client = new Client(inject('postgresUrl'))
  await client.connect()
  await client.query(statement)
  await client.end()
}
