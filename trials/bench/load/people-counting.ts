import { Client } from 'pg'
import { requireValue } from '../../../lib/runtime/require-value.ts'

const ACTIONS = 100

/** Inserts one team with a hundred actions. Triggers are off, since they are for rows that callers write. */
export const INSERT_PARENTS = `
  set session_replication_role = replica;
  insert into team (id, name) values ('team_of_measurement', 'Team');
  insert into app (id, team_id, name) values ('app_of_measurement', 'team_of_measurement', 'App');
  insert into action (id, app_id, action, name, max_verifications)
  select 'action_' || lpad(n::text, 32, 'c'), 'app_of_measurement', 'a' || n, 'Action', 1
  from generate_series(1, ${ACTIONS}) n;
  reset session_replication_role;
`

/** SQL for a random action and a new nullifier below the field's modulus. */
export const ANY_ACTION = `'action_' || lpad((1 + floor(random() * ${ACTIONS}))::int::text, 32, 'c')`
export const NEW_PERSON = `'0x0' || substr(encode(sha256(gen_random_uuid()::text::bytea), 'hex'), 2)`

/** Counts new people, each with a random nullifier and a random action. */
const COUNT = `
  select count(*)::int as counted from record_nullifiers((
    select jsonb_agg(jsonb_build_object('action_id', ${ANY_ACTION}, 'nullifier_hash', ${NEW_PERSON}, 'protocol', '3.0'))
    from generate_series(1, $1::int)))
`

export async function countPeople(client: Client, people: number): Promise<void> {
  const { rows } = await client.query<{ counted: number }>({
    name: 'count',
    text: COUNT,
    values: [people],
  })
  const { counted } = requireValue(rows[0], 'the count')
  if (counted !== people) throw new Error(`Only ${counted} of ${people} people were counted.`)
}

type Load = { connections: number; peoplePerStatement: number; seconds: number }

/** Counts new people for `seconds`. Returns the duration of each statement, including its commit, in ms. */
export async function countForSeconds(
  databaseUrl: string,
  { connections, peoplePerStatement, seconds }: Load,
): Promise<number[]> {
  const end = performance.now() + seconds * 1_000
  const ms: number[] = []
  const countUntilEnd = async (client: Client) => {
    while (performance.now() < end) {
      const startTime = performance.now()
      await countPeople(client, peoplePerStatement)
      ms.push(performance.now() - startTime)
    }
  }
  await Promise.all(
    Array.from({ length: connections }, () => withDatabaseClient(databaseUrl, countUntilEnd)),
  )
  return ms
}

export type PartSize = { name: string; bytes: number }

/** Reads the bytes of the table and then of each index, summed over the partitions. */
export async function readPartSizes(client: Client): Promise<PartSize[]> {
  const { rows } = await client.query<PartSize>(SIZES)
  return rows
}

const SIZES = `
  select
    part.name,
    (select sum(pg_relation_size(relid))::float8 from pg_partition_tree(part.relation)) as bytes
  from (
    select 'nullifier' as name, 'nullifier'::regclass as relation
    union all
    select relname, indexrelid
    from pg_index
    join pg_class on pg_class.oid = indexrelid
    where indrelid = 'nullifier'::regclass
  ) as part
  order by part.name <> 'nullifier', part.name
`

export async function withDatabaseClient<Result>(
  databaseUrl: string,
  countUntilEnd: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client(databaseUrl)
  await client.connect()
  try {
    return await countUntilEnd(client)
  } finally {
    await client.end()
  }
}
