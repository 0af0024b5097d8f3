import { appendFile, chmod, copyFile, mkdir, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Client, escapeLiteral } from 'pg'

/**
 * Extensions that only superusers may create, although they give no access to files, programs or the network. Does not list
 * extensions that PostgreSQL itself marks as trusted, such as pgcrypto: the owner of a database may create them anyway.
 */
const HARMLESS = [
  'autoinc',
  'bloom',
  'earthdistance',
  'insert_username',
  'moddatetime',
  'pg_buffercache',
  'pg_freespacemap',
  'pg_stat_statements',
  'pg_visibility',
  'pgrowlocks',
  'pgstattuple',
  'refint',
]

/**
 * Lets the owner of a database create the harmless extensions. Copies their files, marked as trusted, to the folder that this
 * server searches first.
 *
 * @param client a superuser's connection
 * @see https://www.postgresql.org/docs/18/runtime-config-client.html#GUC-EXTENSION-CONTROL-PATH
 */
export async function trustExtensions(client: Client): Promise<void> {
  const { rows } = await client.query<{ shared: string; data: string }>(
    `select setting as shared, current_setting('data_directory') as data
     from pg_config where name = 'SHAREDIR'`,
  )
  for (const { shared, data } of rows) {
    const folder = join(data, 'trusted')
    await copyTrusted(join(shared, 'extension'), join(folder, 'extension'))
    const path = escapeLiteral(`${folder}:$system`)
    await client.query(`alter system set extension_control_path = ${path}`)
  }
  await client.query('select pg_reload_conf()')
}

/** Copies the files with their modes, and makes the folders readable: PostgreSQL may run as another account. */
async function copyTrusted(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const folder of [dirname(to), to]) await chmod(folder, 0o755)
  for (const file of await readdir(from)) {
    const [, name = '', rest] = /^(\w+)(--.*\.sql|\.control)$/.exec(file) ?? []
    if (!HARMLESS.includes(name)) continue
    await copyFile(join(from, file), join(to, file))
    if (rest === '.control') await appendFile(join(to, file), 'trusted = true\n')
  }
}
