import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client, escapeLiteral } from 'pg'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { startPostgres } from '../../../local/postgres/embedded-postgres.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { createRoles } from '../../../packages/platform/parts/database-roles.ts'
import { noHelm, render } from '../../support/kubernetes/helm.ts'
import { withSecretsInValues } from '../../support/kubernetes/values.ts'

const Cluster = z.looseObject({
  bootstrap: z.object({ initdb: z.looseObject({ database: z.string(), owner: z.string() }) }),
  managed: z.object({
    roles: z.array(z.looseObject({ name: z.string(), connectionLimit: z.number() })),
  }),
})

test.skipIf(noHelm)(
  'CloudNativePG creates the same roles, limits and privileges as ops/roles.sql',
  async () => {
    const objects = await render(withSecretsInValues)
    const cluster = Cluster.parse(objects.find(({ kind }) => kind === 'Cluster')?.spec)
    const sql = Object(objects.find(({ metadata }) => metadata.name === 'demo-postgres-roles')).data
    expect(sql['roles.sql']).not.toMatch(/^\\|password :/m)

    const { database, owner } = cluster.bootstrap.initdb
    const server = await startEmptyServer()
    // CloudNativePG creates the owner and its database, runs the SQL as superuser, and then creates the other roles.
    await server.run('postgres', `create role ${owner} login`)
    await server.run('postgres', `create database ${database} owner ${owner}`)
    await server.run(database, sql['roles.sql'])
    for (const { name, connectionLimit } of cluster.managed.roles)
      await server.run(
        'postgres',
        `alter role ${name} with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls
         connection limit ${connectionLimit} password ${escapeLiteral('x')}`,
      )
    const chartState = await readState(server.urlOf(database))

    // Runs ops/roles.sql on a server without the roles.
    await server.run('postgres', `drop database ${database}`)
    for (const { rolname } of chartState.roles) await server.run('postgres', `drop role ${rolname}`)
    await server.run('postgres', `create database ${database}`)
    await createRoles(server.urlOf(database), { hasura: 'one', signIn: 'two' })
    const expected = await readState(server.urlOf(database))
    await server.stop()

    expect(expected.roles.map(({ rolname }) => rolname)).toEqual(['hasura', 'sign_in'])
    expect(chartState).toEqual(expected)
  },
)

async function startEmptyServer() {
  const folder = temporaryFolder('test-kubernetes-roles-')
  const options = { folder: join(folder, 'data'), port: await freePort() }
  const server = await startPostgres(options)
  const urlOf = (database: string) =>
    Object.assign(new URL(server.url), { pathname: database }).href
  return {
    urlOf,
    async run(database: string, statements: string) {
      const client = new Client(urlOf(database))
      await client.connect()
      await client.query(statements)
      await client.end()
    },
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Reads the attributes, limits and privileges of the two roles. */
async function readState(url: string) {
  const client = new Client(url)
  await client.connect()
  const { rows: roles } = await client.query(
    `select rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls,
            rolconnlimit, rolconfig
     from pg_roles where rolname in ('hasura', 'sign_in') order by rolname`,
  )
  const { rows: privileges } = await client.query(
    `select 'database' as what, datdba::regrole::text as owner, datacl::text as acl
     from pg_database where datname = current_database()
     union all
     select 'schema', nspowner::regrole::text, nspacl::text from pg_namespace where nspname = 'public'
     union all
     select 'functions', defaclrole::regrole::text, defaclacl::text from pg_default_acl`,
  )
  await client.end()
  return { roles, privileges }
}
