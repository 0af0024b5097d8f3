import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { z } from 'zod'
import { requireValue } from '../../lib/runtime/require-value.ts'
import { publishRoot } from '../../local/chain/publish-root.ts'
import { dataPaths } from '../../packages/platform/data-folder.ts'
import { Secrets } from '../../packages/platform/settings/secrets.ts'
import { createAttackScenarios } from './attack-scenarios.ts'
import type { FaultyPostgres } from './faulty-postgres.ts'
import { findRestartableProcess } from './restartable-process.ts'
import type { Scenario, TestedPlatform } from './scenario.ts'
import { createConnectionStorm, testSlowReaders, testSlowSenders } from './slow-clients.ts'
import {
  createPersonRequest,
  type Outcome,
  tallyAnswers,
  verifyPerson,
  verifyUnderFault,
  waitUntilRecovered,
} from './verify-people.ts'

const RegisteredClient = z.object({ client_id: z.string() })
const Refusal = z.object({ code: z.string() })

/** How long a part stays down in scenarios that do not restart it at once. */
const DOWN_MS = 1_500

/** Creates the scenarios. They run in this order. */
export function createScenarios(postgres: FaultyPostgres): Record<string, Scenario> {
  return {
    'the developer API is killed': createKillScenario('webhooks/server.ts'),
    'Hasura (the engine) is killed': createKillScenario('packages/engine/server.ts'),
    'Hasura is down for 1.5 s': createKillScenario('packages/engine/server.ts', DOWN_MS),
    'the sign-in server is killed while clients register': killSignIn,
    'PostgreSQL is killed': (platform) =>
      verifyUnderFault(platform.facts, platform, async () => {
        postgres.kill()
        await postgres.start()
      }),
    'PostgreSQL is restarted': (platform) =>
      verifyUnderFault(platform.facts, platform, async () => {
        postgres.shutDown()
        await sleep(DOWN_MS)
        await postgres.start()
      }),
    'PostgreSQL refuses connections': (platform) =>
      verifyUnderFault(platform.facts, platform, () => refuseConnections(platform)),
    'everything is killed at once': (platform) => killEverything(postgres, platform),
    'the disk of PostgreSQL is full': (platform) => fillDisk(postgres, platform),
    'the chain does not answer': stopChain,
    'the mail server is down': stopMail,
    'clients that send slowly, on every endpoint': testSlowSenders,
    'clients that read nothing': testSlowReaders,
    'three thousand idle connections to the developer API': createConnectionStorm('baseUrl'),
    'three thousand idle connections to the sign-in server': createConnectionStorm('authUrl'),
    'three thousand idle connections to Hasura (the engine)': createConnectionStorm('hasura'),
    ...createAttackScenarios(),
  }
}

function createKillScenario(entry: string, downMs = 0): Scenario {
  return (platform) => {
    const victim = findRestartableProcess(entry)
    return verifyUnderFault(platform.facts, platform, async () => {
      victim.kill()
      await sleep(downMs)
      await victim.restart()
    })
  }
}

async function killSignIn({ facts }: TestedPlatform): Promise<Outcome> {
  const victim = findRestartableProcess('oidc/server.ts')
  const ids: string[] = []
  const register = async () => {
    const response = await fetch(`${facts.authUrl}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: ['https://rp.example/callback'] }),
    }).catch(() => null)
    const body: unknown = await response?.json().catch(() => null)
    if (response?.status === 201) ids.push(RegisteredClient.parse(body).client_id)
    return describeResponse(response, body)
  }
  const answers: string[] = []
  for (let round = 0; round < 20; round++) {
    answers.push(...(await Promise.all(Array.from({ length: 5 }, register))))
    if (round === 8) victim.kill()
    if (round === 10) await victim.restart()
    if (answers.at(-1) === 'broken') await sleep(50)
  }
  const endTime = performance.now()
  while ((await register()) !== '201') await sleep(20)
  const recoveryMs = performance.now() - endTime
  const lost = await countMissingApps(facts.databaseUrl, ids)
  return {
    people: answers.length,
    answers: tallyAnswers(answers),
    recoveryMs,
    lost,
    countedTwice: 0,
  }
}

function describeResponse(response: Response | null, body: unknown): string {
  if (!response) return 'broken'
  return response.status === 503 ? `503 ${Refusal.parse(body).code}` : String(response.status)
}

async function countMissingApps(databaseUrl: string, ids: readonly string[]): Promise<number> {
  const client = new Client(databaseUrl)
  await client.connect()
  const { rows } = await client.query('select id from app where id = any ($1)', [ids])
  await client.end()
  return ids.length - rows.length
}

async function refuseConnections({ facts }: TestedPlatform) {
  const admin = new Client(facts.databaseUrl.replace(/\/postgres$/, '/template1'))
  await admin.connect()
  await admin.query('alter database postgres allow_connections false')
  await admin.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'postgres'",
  )
  await sleep(DOWN_MS)
  await admin.query('alter database postgres allow_connections true')
  await admin.end()
}

function killEverything(postgres: FaultyPostgres, platform: TestedPlatform): Promise<Outcome> {
  const parts = ['webhooks/server.ts', 'packages/engine/server.ts', 'oidc/server.ts'].map(
    findRestartableProcess,
  )
  return verifyUnderFault(platform.facts, platform, async () => {
    for (const victim of parts) victim.kill()
    postgres.kill()
    await postgres.start()
    for (const victim of parts) await victim.restart()
  })
}

/**
 * Creates a tablespace of 16 MB, and fills it. The existing partitions of `nullifier` stay in their tablespace: PostgreSQL moves
 * nothing when the tablespace of a partitioned table changes.
 */
/** Returns the statement that moves the partitions of the nullifiers. To move the partitioned table would move only future partitions. */
function moveNullifiers(tablespace: string): string {
  return `do $$
    declare
      part regclass;
    begin
      for part in select inhrelid::regclass from pg_inherits where inhparent = 'nullifier'::regclass loop
        execute format('alter table %s set tablespace ${tablespace}', part);
      end loop;
    end
    $$`
}

async function fillDisk(postgres: FaultyPostgres, platform: TestedPlatform): Promise<Outcome> {
  const folder = join(platform.folder, 'small-disk')
  mkdirSync(folder)
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder])
  if (mount.status !== 0) throw new Error('not tried: only root can mount a small disk')
  try {
    const { uid, gid } = statSync(join(platform.folder, 'postgres'))
    chownSync(folder, uid, gid)
    await postgres.query(
      `create tablespace small location '${folder}'`,
      moveNullifiers('small'),
      'create table filler (text text) tablespace small',
    )
    // The table's existing pages have no space for this many people.
    return await verifyUnderFault(platform.facts, { ...platform, size: 1_000 }, async () => {
      const fillStatement =
        "insert into filler select string_agg(md5(random()::text), '') from generate_series(1, 2000), generate_series(1, 20) as n group by n"
      for (;;) {
        const isFull = await postgres.query(fillStatement).then(
          () => false,
          () => true,
        )
        if (isFull) break
      }
      await sleep(DOWN_MS)
      await postgres.query('drop table filler')
    })
  } finally {
    await postgres
      .query(
        'drop table if exists filler',
        moveNullifiers('pg_default'),
        'drop tablespace if exists small',
      )
      .finally(() => spawnSync('umount', [folder]))
  }
}

/** Pauses the chain. Uses a new root, since the developer API answers from its cache for a known root. */
async function stopChain({ facts, root, folder }: TestedPlatform): Promise<Outcome> {
  const unknownRoot = root + BigInt(Date.now())
  await publishRoot({ rpcUrl: facts.rpcUrl, group: 'staging', root: unknownRoot })
  const pid = findChainProcess(dataPaths(folder).chain)
  process.kill(pid, 'SIGSTOP')
  const requests = await Promise.all(
    Array.from({ length: 20 }, () => createPersonRequest(unknownRoot)),
  )
  const answers = await Promise.all(requests.map((body) => verifyPerson(facts.baseUrl, body)))
  process.kill(pid, 'SIGCONT')
  const endTime = performance.now()
  await waitUntilRecovered(facts.baseUrl, unknownRoot)
  const recoveryMs = performance.now() - endTime
  if (answers.includes('200')) throw new Error('a proof with an unknown root was counted')
  const laterAnswers = await Promise.all(requests.map((body) => verifyPerson(facts.baseUrl, body)))
  const lost = laterAnswers.filter((answer) => answer !== '200').length
  return {
    people: requests.length,
    answers: tallyAnswers(answers),
    recoveryMs,
    lost,
    countedTwice: 0,
  }
}

/** Finds the process of the local chain with this state file. */
function findChainProcess(stateFile: string): number {
  const { stdout } = spawnSync('pgrep', ['-f', `anvil.*--state ${stateFile}`], { encoding: 'utf8' })
  return Number(stdout.trim().split('\n')[0])
}

async function stopMail({ facts, folder }: TestedPlatform): Promise<Outcome> {
  const { internalSecret } = Secrets.parse(
    JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')),
  )
  const api = findRestartableProcess('webhooks/server.ts')
  const restart = async (extraEnvironment: Record<string, string>) => {
    api.kill()
    await api.restart(extraEnvironment)
    while (!(await fetch(`${facts.baseUrl}/readyz`).catch(() => null))?.ok) await sleep(20)
  }
  const sendMail = () =>
    fetch(`${facts.baseUrl}/api/_mail`, {
      method: 'POST',
      headers: { authorization: `Bearer ${internalSecret}` },
    })
  // No server listens on this port.
  await restart({ SMTP_URL: 'smtp://127.0.0.1:9' })
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, i) => signUpPerson(facts.baseUrl, i)),
  )
  await sendMail()
  await restart({})
  const endTime = performance.now()
  const client = new Client(facts.databaseUrl)
  await client.connect()
  const countUnsent = async () => {
    // The next attempt for an undelivered message is due later; make it due now.
    await client.query('update mail set due_at = now() where sent_at is null')
    await sendMail()
    const { rows } = await client.query<{ n: number }>(
      'select count(*)::int as n from mail where sent_at is null',
    )
    return requireValue(rows[0], 'the count').n
  }
  let unsentCount = await countUnsent()
  for (let tries = 0; unsentCount > 0 && tries < 20; tries++) unsentCount = await countUnsent()
  await client.end()
  const recoveryMs = performance.now() - endTime
  return {
    people: answers.length,
    answers: tallyAnswers(answers),
    recoveryMs,
    lost: unsentCount,
    countedTwice: 0,
  }
}

async function signUpPerson(baseUrl: string, i: number): Promise<string> {
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
  return describeResponse(response, await response?.json().catch(() => null))
}
