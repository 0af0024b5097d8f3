import { z } from 'zod'
import type { Project } from './project.ts'

/** A row of a table, as JSON of the database. */
export type Row = Record<string, unknown>

type TeamName = 'mine' | 'theirs'

const LETTER = { mine: 'a', theirs: 'b' } as const

/** Returns the id of a team's row. The ids of `mine` repeat the letter a, and the ids of `theirs` the letter b. */
export function teamRowId(team: TeamName, prefix: string, n = 1): string {
  return `${prefix}_${LETTER[team].repeat(31)}${n}`
}

/** The id of a user in both teams. */
const BOTH = `usr_${'0'.repeat(32)}`

/**
 * Inserts a team with users, apps, and rows of both. The rows of the two teams have the same shape and different values, so
 * that a response changes wherever the other team's rows influence it.
 */
export async function makeTeam(project: Pick<Project, 'sql'>, team: TeamName): Promise<void> {
  const id = (prefix: string, n = 1) => `'${teamRowId(team, prefix, n)}'`
  const [most, day] = team === 'mine' ? [3, '2026-01-02'] : [9, '2026-02-03']
  const hash = (n: number) => `'0x${LETTER[team].repeat(63)}${n}'`
  await project.sql(`
    set local platform.fixed_ids = 'on';
    insert into team (id, name, created_at) values (${id('team')}, 'Team ${team}', '${day}');
    insert into "user" (id, email, name, password_hash, email_verified_at, created_at)
    values
      (${id('usr', 1)}, 'owner@${team}.example', 'Owner ${team}', 'password of ${team}', '${day}', '${day}'),
      (${id('usr', 2)}, 'admin@${team}.example', 'Admin ${team}', 'password of ${team}', '${day}', '${day}'),
      (${id('usr', 3)}, 'member@${team}.example', 'Member ${team}', 'password of ${team}', '${day}', '${day}'),
      ('${BOTH}', 'both@example.com', 'In both', 'password of both', '2026-01-01', '2026-01-01')
    on conflict (id) do nothing;
    insert into login (id, user_id, address, user_agent, created_at, expires_at)
    values
      (${id('login', 1)}, ${id('usr', 1)}, 'Address of ${team}', 'Agent of ${team}', '${day}', '2100-01-01'),
      (${id('login', 2)}, ${id('usr', 2)}, 'Address of ${team}', 'Agent of ${team}', '${day}', '2100-01-01'),
      (${id('login', 3)}, ${id('usr', 3)}, 'Address of ${team}', 'Agent of ${team}', '${day}', '2100-01-01');
    insert into membership (id, team_id, user_id, role, created_at)
    values
      (${id('memb', 1)}, ${id('team')}, ${id('usr', 1)}, 'OWNER', '${day}'),
      (${id('memb', 2)}, ${id('team')}, ${id('usr', 2)}, 'ADMIN', '${day}'),
      (${id('memb', 3)}, ${id('team')}, ${id('usr', 3)}, 'MEMBER', '${day}'),
      (${id('memb', 4)}, ${id('team')}, '${BOTH}', '${team === 'mine' ? 'MEMBER' : 'OWNER'}', '${day}');
    insert into invite (id, team_id, email, created_at)
    values (${id('inv')}, ${id('team')}, 'guest@${team}.example', '${day}');
    insert into api_key (id, team_id, name, secret_hash, created_at)
    values (${id('key')}, ${id('team')}, 'Key of ${team}', repeat('${LETTER[team]}', 64), '${day}');
    insert into app (id, team_id, name, logo_url, is_staging, engine, is_verified, created_at)
    values
      (${id('app', 1)}, ${id('team')}, 'First of ${team}', 'https://${team}.example/1', true, 'cloud', false, '${day}'),
      (${id('app', 2)}, ${id('team')}, 'Second of ${team}', 'https://${team}.example/2', false, '${team === 'mine' ? 'cloud' : 'on-chain'}', true, '${day}');
    insert into action (id, app_id, action, name, description, max_verifications, return_url, external_nullifier, created_at)
    values
      (${id('action', 1)}, ${id('app', 1)}, 'vote-${team}', 'Vote of ${team}', 'By ${team}', ${most}, 'https://${team}.example/r', ${hash(1)}, '${day}'),
      (${id('action', 2)}, ${id('app', 2)}, 'claim-${team}', 'Claim of ${team}', 'By ${team}', 0, '', ${hash(2)}, '${day}');
    insert into nullifier (action_id, nullifier_hash, uses, created_at)
    select ${id('action', 1)}, '0x' || repeat('${LETTER[team]}', 63) || n, ${most} - n % 2, timestamptz '${day}' + n * interval '1 hour'
    from generate_series(1, 3) n;
  `)
  await makeRowsOfApp(project, team)
}

/** Inserts rows of the first app of a team. */
async function makeRowsOfApp(project: Pick<Project, 'sql'>, team: TeamName): Promise<void> {
  const id = (prefix: string, n = 1) => `'${teamRowId(team, prefix, n)}'`
  const [amount, day] = team === 'mine' ? [3, '2026-01-02'] : [9, '2026-02-03']
  const hash = (n: number) => `'0x${LETTER[team].repeat(63)}${n}'`
  await project.sql(`
    set local platform.fixed_ids = 'on';
    insert into redirect (id, app_id, redirect_uri, created_at)
    values (${id('uri')}, ${id('app', 1)}, 'https://${team}.example/callback', '${day}');
    insert into request_key (id, app_id, address, created_at)
    values (${id('rpk')}, ${id('app', 1)}, '0x' || repeat('${LETTER[team]}', 40), '${day}');
    insert into refused_request (id, app_id, created_at, endpoint, code, detail, request_id)
    values (${id('ref')}, ${id('app', 1)}, '${day}', '/of/${team}', 'code_${team}', 'Detail of ${team}', 'request_${team}');
    insert into sign_in_client (app_id, secret_hash) values (${id('app', 1)}, repeat('${LETTER[team]}', 64));
    insert into transaction (id, app_id, reference, chain, transaction_hash, token, token_amount, "to", created_at, "timestamp")
    values (${id('txn')}, ${id('app', 1)}, 'order of ${team}', 'worldchain', ${hash(5)}, 'USDCE', '${amount}000000', '0x' || repeat('${LETTER[team]}', 40), '${day}', '${day}');
  `)
}

/** Deletes a team, its users without another team, and its audit trail. */
export async function removeTeam(project: Project, team: TeamName): Promise<void> {
  await project.sql(`
    delete from team where id = '${teamRowId(team, 'team')}';
    delete from "user" where id like 'usr_${LETTER[team].repeat(31)}%';
    delete from audit where team_id = '${teamRowId(team, 'team')}';
  `)
}

const Dump = z.array(z.record(z.string(), z.unknown()))

/** Reads the rows of a team, by table. Finds tables through foreign keys, so new tables are included. */
export async function readTeamRows(
  project: Pick<Project, 'rows'>,
  team: TeamName,
): Promise<Map<string, Row[]>> {
  const keys = await readForeignKeys(project)
  const rowsByTable = new Map<string, Row[]>()
  for (const table of await readTableNames(project)) {
    const condition = teamCondition(table, team, keys)
    if (!condition) continue
    const [row] = await project.rows(
      `select coalesce(jsonb_agg(to_jsonb(t) order by to_jsonb(t)::text), '[]') from "${table}" t where ${condition}`,
    )
    rowsByTable.set(table, Dump.parse(JSON.parse(row?.[0] ?? '[]')))
  }
  return rowsByTable
}

async function readTableNames(project: Pick<Project, 'rows'>): Promise<string[]> {
  const rows = await project.rows(
    "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'm', 'p') order by 1",
  )
  return rows.flat()
}

type ForeignKey = { table: string; column: string; parent: string; parentColumn: string }

async function readForeignKeys(project: Pick<Project, 'rows'>): Promise<ForeignKey[]> {
  const rows = await project.rows(`
    select child.relname, child_column.attname, parent.relname, parent_column.attname
    from pg_constraint
    join pg_class child on child.oid = conrelid
    join pg_class parent on parent.oid = confrelid
    join pg_attribute child_column on child_column.attrelid = conrelid and child_column.attnum = conkey[1]
    join pg_attribute parent_column on parent_column.attrelid = confrelid and parent_column.attnum = confkey[1]
    where contype = 'f' and connamespace = 'public'::regnamespace
    union all
    select 'audit', 'team_id', 'team', 'id'
    order by 1, 2`)
  return rows.map(([table = '', column = '', parent = '', parentColumn = '']) => ({
    table,
    column,
    parent,
    parentColumn,
  }))
}

/**
 * Returns the condition for the team's rows in a table. Prefers a foreign key to `team` to other foreign keys. Null if no
 * chain of foreign keys ends at `team` or `user`.
 */
function teamCondition(table: string, team: TeamName, keys: readonly ForeignKey[]): string | null {
  if (table === 'team') return `t.id = '${teamRowId(team, 'team')}'`
  if (table === 'user') return `t.id like 'usr_${LETTER[team].repeat(31)}%'`
  const tableKeys = keys.filter((key) => key.table === table && key.parent !== table)
  const direct = tableKeys.filter(({ parent }) => parent === 'team')
  const conditions = (direct.length > 0 ? direct : tableKeys).flatMap((key) => {
    const above = teamCondition(key.parent, team, keys)
    if (!above) return []
    return `t."${key.column}" in (select t."${key.parentColumn}" from "${key.parent}" t where ${above})`
  })
  return conditions.length > 0 ? conditions.join(' or ') : null
}
