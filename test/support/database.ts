import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { inject } from 'vitest'

export type Database = {
  url: string
  query: Client['query']
  /** The URL for a role of ops/roles.sql, in a copy of `platform`. */
  as(role: 'hasura' | 'sign_in'): string
  /** Runs a statement as superuser outside of this database. */
  onCluster(statement: string): Promise<void>
  drop(): Promise<void>
}

/**
 * Makes a database for one test file, as a copy of `template` (`template0` is an empty one).
 *
 * @returns its superuser URL, a client's `query` on it, and `drop`
 */
export async function database(template = 'template0'): Promise<Database> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const copied = template === 'platform' ? inject('platformTemplate') : template
  // On the run's own cluster, copying files takes half as long as copying pages through the log.
  const strategy = inject('hasura') ? '' : 'strategy file_copy'
  await onCluster(`create database ${name} template ${copied} encoding 'UTF8' ${strategy}`)
  // A copy has the rights that are in the database, and not those on it (ops/roles.sql).
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
