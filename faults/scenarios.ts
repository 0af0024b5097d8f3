import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { publishRoot } from '../chain/publish-root.ts'
import { Secrets } from '../platform/secrets.ts'
import { becomesWell, type Outcome, person, tally, underFault, verify } from './crowd.ts'
import type { FaultyPostgres } from './faulty-postgres.ts'
import { part } from './restartable-process.ts'
import type { Scenario, Scene } from './scene.ts'
import { connectionStorm, slowReaders, slowSenders } from './slow-clients.ts'

/** How long a part stays away, when it is not simply killed. */
const AWAY_MS = 1_500

/** Every fault, in the order in which they are caused. */
export function scenarios(postgres: FaultyPostgres): Record<string, Scenario> {
  return {
    'the developer API is killed': killed('webhooks/server.ts'),
    'Hasura (the engine) is killed': killed('engine/server.ts'),
    'Hasura is away for a while': killed('engine/server.ts', AWAY_MS),
    'the sign-in server is killed while clients register': signInKilled,
    'PostgreSQL is killed': (scene) =>
      underFault(scene.facts, scene, async () => {
        postgres.kill()
        await postgres.start()
      }),
    'PostgreSQL is restarted': (scene) =>
      underFault(scene.facts, scene, async () => {
        postgres.shutDown()
        await pause(AWAY_MS)
        await postgres.start()
      }),
    'PostgreSQL refuses connections': (scene) =>
      underFault(scene.facts, scene, () => refuseConnections(scene)),
    'everything is killed at once': (scene) => everythingKilled(postgres, scene),
    'the disk of PostgreSQL is full': (scene) => diskFull(postgres, scene),
    'the chain does not answer': chainAway,
    'the mail server is away': mailAway,
    'clients that send slowly, on every endpoint': slowSenders,
    'clients that read nothing': slowReaders,
    'three thousand idle connections to the developer API': connectionStorm('baseUrl'),
    'three thousand idle connections to the sign-in server': connectionStorm('authUrl'),
    'three thousand idle connections to Hasura (the engine)': connectionStorm('hasura'),
  }
}

function killed(entry: string, awayMs = 0): Scenario {
  return (scene) => {
    const victim = part(entry)
    return underFault(scene.facts, scene, async () => {
      victim.kill()
      await pause(awayMs)
      await victim.restart()
    })
  }
}

async function signInKilled({ facts }: Scene): Promise<Outcome> {
  const victim = part('oidc/server.ts')
  const ids: string[] = []
  const register = async () => {
    const response = await fetch(`${facts.authUrl}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: ['https://rp.example/callback'] }),
    }).catch(() => null)
    const body = await response?.json().catch(() => null)
    if (response?.status === 201) ids.push(String(Object(body).client_id))
    return answerOf(response, body)
  }
  const answers: string[] = []
  for (let round = 0; round < 20; round++) {
    answers.push(...(await Promise.all(Array.from({ length: 5 }, register))))
    if (round === 8) victim.kill()
    if (round === 10) await victim.restart()
    if (answers.at(-1) === 'broken') await pause(50)
  }
  const over = performance.now()
  while ((await register()) !== '201') await pause(20)
  const recoveryMs = performance.now() - over
  const lost = await missing(facts.databaseUrl, ids)
  return { people: answers.length, answers: tally(answers), recoveryMs, lost, countedTwice: 0 }
}

function answerOf(response: Response | null, body: unknown): string {
  if (!response) return 'broken'
  return response.status === 503 ? `503 ${Object(body).code}` : String(response.status)
}

async function missing(databaseUrl: string, ids: readonly string[]): Promise<number> {
  const client = new Client(databaseUrl)
  await client.connect()
  const { rows } = await client.query('select id from app where id = any ($1)', [ids])
  await client.end()
  return ids.length - rows.length
}

async function refuseConnections({ facts }: Scene) {
  const admin = new Client(facts.databaseUrl.replace(/\/postgres$/, '/template1'))
  await admin.connect()
  await admin.query('alter database postgres allow_connections false')
  await admin.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'postgres'",
  )
  await pause(AWAY_MS)
  await admin.query('alter database postgres allow_connections true')
  await admin.end()
}

function everythingKilled(postgres: FaultyPostgres, scene: Scene): Promise<Outcome> {
  const parts = ['webhooks/server.ts', 'engine/server.ts', 'oidc/server.ts'].map(part)
  return underFault(scene.facts, scene, async () => {
    for (const victim of parts) victim.kill()
    postgres.kill()
    await postgres.start()
    for (const victim of parts) await victim.restart()
  })
}

/** People are counted in a tablespace of 16 MB, which is then filled up. */
async function diskFull(postgres: FaultyPostgres, scene: Scene): Promise<Outcome> {
  const folder = join(scene.folder, 'small-disk')
  mkdirSync(folder)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder])
  if (mounted.status !== 0) throw new Error('not tried: it takes the right to mount a small disk')
  try {
    const { uid, gid } = statSync(join(scene.folder, 'postgres'))
    chownSync(folder, uid, gid)
    await postgres.query(
      `create tablespace small location '${folder}'`,
      'alter table nullifier set tablespace small',
      'create table filler (text text) tablespace small',
    )
    // More people than fit into the pages that exist already.
    return await underFault(scene.facts, { ...scene, size: 1_000 }, async () => {
      const filling =
        "insert into filler select string_agg(md5(random()::text), '') from generate_series(1, 2000), generate_series(1, 20) as n group by n"
      for (;;) {
        const isFull = await postgres.query(filling).then(
          () => false,
          () => true,
        )
        if (isFull) break
      }
      await pause(AWAY_MS)
      await postgres.query('drop table filler')
    })
  } finally {
    await postgres.query(
      'drop table if exists filler',
      'alter table nullifier set tablespace pg_default',
      'drop tablespace if exists small',
    )
    spawnSync('umount', [folder])
  }
}

/** Uses a root that is not remembered: remembered ones would do for a minute without the chain. */
async function chainAway({ facts, root }: Scene): Promise<Outcome> {
  const unknown = root + BigInt(Date.now())
  await publishRoot({ rpcUrl: facts.rpcUrl, group: 'staging', root: unknown })
  const pid = listenerOn(new URL(facts.rpcUrl).port)
  process.kill(pid, 'SIGSTOP')
  const people = await Promise.all(Array.from({ length: 20 }, () => person(unknown)))
  const answers = await Promise.all(people.map((body) => verify(facts.baseUrl, body)))
  process.kill(pid, 'SIGCONT')
  const over = performance.now()
  await becomesWell(facts.baseUrl, unknown)
  const recoveryMs = performance.now() - over
  if (answers.includes('200')) throw new Error('a proof counted whose root nobody knew')
  const later = await Promise.all(people.map((body) => verify(facts.baseUrl, body)))
  const lost = later.filter((answer) => answer !== '200').length
  return { people: people.length, answers: tally(answers), recoveryMs, lost, countedTwice: 0 }
}

/** The process that listens on a port of this machine. */
function listenerOn(port: string): number {
  const { stdout } = spawnSync('pgrep', ['-f', `anvil.*--port ${port}`], { encoding: 'utf8' })
  return Number(stdout.trim().split('\n')[0])
}

async function mailAway({ facts, folder }: Scene): Promise<Outcome> {
  const { internalSecret } = Secrets.parse(
    JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')),
  )
  const api = part('webhooks/server.ts')
  const restart = async (other: Record<string, string>) => {
    api.kill()
    await api.restart(other)
    while (!(await fetch(`${facts.baseUrl}/readyz`).catch(() => null))?.ok) await pause(20)
  }
  const deliver = () =>
    fetch(`${facts.baseUrl}/api/_mail`, {
      method: 'POST',
      headers: { authorization: `Bearer ${internalSecret}` },
    })
  // Nobody listens there.
  await restart({ SMTP_URL: 'smtp://127.0.0.1:9' })
  const answers = await Promise.all(Array.from({ length: 5 }, (_, i) => signUp(facts.baseUrl, i)))
  await deliver()
  await restart({})
  const over = performance.now()
  const client = new Client(facts.databaseUrl)
  await client.connect()
  const unsent = async () => {
    // A message that was not delivered is due again later; make it due at once.
    await client.query('update mail set due_at = now() where sent_at is null')
    await deliver()
    const { rows } = await client.query('select count(*)::int as n from mail where sent_at is null')
    return rows[0].n
  }
  let left = await unsent()
  for (let tries = 0; left > 0 && tries < 20; tries++) left = await unsent()
  await client.end()
  const recoveryMs = performance.now() - over
  return {
    people: answers.length,
    answers: tally(answers),
    recoveryMs,
    lost: left,
    countedTwice: 0,
  }
}

async function signUp(baseUrl: string, i: number): Promise<string> {
  const account = {
    email: `p${Date.now()}-${i}@example.com`,
    password: 'difference',
    name: 'P',
    team_name: 'T',
  }
  const response = await fetch(`${baseUrl}/api/v1/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  }).catch(() => null)
  return answerOf(response, await response?.json().catch(() => null))
}
