import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { z } from 'zod'
import { present } from '../../lib/runtime/present.ts'
import { publishRoot } from '../../local/chain/publish-root.ts'
import { dataPaths } from '../../packages/platform/data-folder.ts'
import { Secrets } from '../../packages/platform/settings/secrets.ts'
import { attackedScenarios } from './attacked.ts'
import {
  newPerson,
  type Outcome,
  tallyAnswers,
  verifyPerson,
  verifyUnderFault,
  waitUntilRecovered,
} from './crowd.ts'
import type { FaultyPostgres } from './faulty-postgres.ts'
import { restartableProcess } from './restartable-process.ts'
import type { Scenario, Scene } from './scene.ts'
import { connectionStorm, slowReaders, slowSenders } from './slow-clients.ts'

const Registered = z.object({ client_id: z.string() })
const Refusal = z.object({ code: z.string() })

/** How long a part stays away, when it is not simply killed. */
const AWAY_MS = 1_500

/** Every fault, in the order in which they are caused. */
export function scenarios(postgres: FaultyPostgres): Record<string, Scenario> {
  return {
    'the developer API is killed': killedScenario('webhooks/server.ts'),
    'Hasura (the engine) is killed': killedScenario('packages/engine/server.ts'),
    'Hasura is away for a while': killedScenario('packages/engine/server.ts', AWAY_MS),
    'the sign-in server is killed while clients register': killSignIn,
    'PostgreSQL is killed': (scene) =>
      verifyUnderFault(scene.facts, scene, async () => {
        postgres.kill()
        await postgres.start()
      }),
    'PostgreSQL is restarted': (scene) =>
      verifyUnderFault(scene.facts, scene, async () => {
        postgres.shutDown()
        await sleep(AWAY_MS)
        await postgres.start()
      }),
    'PostgreSQL refuses connections': (scene) =>
      verifyUnderFault(scene.facts, scene, () => refuseConnections(scene)),
    'everything is killed at once': (scene) => killEverything(postgres, scene),
    'the disk of PostgreSQL is full': (scene) => fillDisk(postgres, scene),
    'the chain does not answer': stopChain,
    'the mail server is away': stopMail,
    'clients that send slowly, on every endpoint': slowSenders,
    'clients that read nothing': slowReaders,
    'three thousand idle connections to the developer API': connectionStorm('baseUrl'),
    'three thousand idle connections to the sign-in server': connectionStorm('authUrl'),
    'three thousand idle connections to Hasura (the engine)': connectionStorm('hasura'),
    ...attackedScenarios(),
  }
}

function killedScenario(entry: string, awayMs = 0): Scenario {
  return (scene) => {
    const victim = restartableProcess(entry)
    return verifyUnderFault(scene.facts, scene, async () => {
      victim.kill()
      await sleep(awayMs)
      await victim.restart()
    })
  }
}

async function killSignIn({ facts }: Scene): Promise<Outcome> {
  const victim = restartableProcess('oidc/server.ts')
  const ids: string[] = []
  const register = async () => {
    const response = await fetch(`${facts.authUrl}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: ['https://rp.example/callback'] }),
    }).catch(() => null)
    const body: unknown = await response?.json().catch(() => null)
    if (response?.status === 201) ids.push(Registered.parse(body).client_id)
    return answerText(response, body)
  }
  const answers: string[] = []
  for (let round = 0; round < 20; round++) {
    answers.push(...(await Promise.all(Array.from({ length: 5 }, register))))
    if (round === 8) victim.kill()
    if (round === 10) await victim.restart()
    if (answers.at(-1) === 'broken') await sleep(50)
  }
  const over = performance.now()
  while ((await register()) !== '201') await sleep(20)
  const recoveryMs = performance.now() - over
  const lost = await countMissingApps(facts.databaseUrl, ids)
  return {
    people: answers.length,
    answers: tallyAnswers(answers),
    recoveryMs,
    lost,
    countedTwice: 0,
  }
}

function answerText(response: Response | null, body: unknown): string {
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

async function refuseConnections({ facts }: Scene) {
  const admin = new Client(facts.databaseUrl.replace(/\/postgres$/, '/template1'))
  await admin.connect()
  await admin.query('alter database postgres allow_connections false')
  await admin.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'postgres'",
  )
  await sleep(AWAY_MS)
  await admin.query('alter database postgres allow_connections true')
  await admin.end()
}

function killEverything(postgres: FaultyPostgres, scene: Scene): Promise<Outcome> {
  const parts = ['webhooks/server.ts', 'packages/engine/server.ts', 'oidc/server.ts'].map(
    restartableProcess,
  )
  return verifyUnderFault(scene.facts, scene, async () => {
    for (const victim of parts) victim.kill()
    postgres.kill()
    await postgres.start()
    for (const victim of parts) await victim.restart()
  })
}

/** People are counted in a tablespace of 16 MB, which is then filled up. */
async function fillDisk(postgres: FaultyPostgres, scene: Scene): Promise<Outcome> {
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
    return await verifyUnderFault(scene.facts, { ...scene, size: 1_000 }, async () => {
      const filling =
        "insert into filler select string_agg(md5(random()::text), '') from generate_series(1, 2000), generate_series(1, 20) as n group by n"
      for (;;) {
        const isFull = await postgres.query(filling).then(
          () => false,
          () => true,
        )
        if (isFull) break
      }
      await sleep(AWAY_MS)
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
async function stopChain({ facts, root, folder }: Scene): Promise<Outcome> {
  const unknown = root + BigInt(Date.now())
  await publishRoot({ rpcUrl: facts.rpcUrl, group: 'staging', root: unknown })
  const pid = findChainProcess(dataPaths(folder).chain)
  process.kill(pid, 'SIGSTOP')
  const people = await Promise.all(Array.from({ length: 20 }, () => newPerson(unknown)))
  const answers = await Promise.all(people.map((body) => verifyPerson(facts.baseUrl, body)))
  process.kill(pid, 'SIGCONT')
  const over = performance.now()
  await waitUntilRecovered(facts.baseUrl, unknown)
  const recoveryMs = performance.now() - over
  if (answers.includes('200')) throw new Error('a proof counted whose root nobody knew')
  const later = await Promise.all(people.map((body) => verifyPerson(facts.baseUrl, body)))
  const lost = later.filter((answer) => answer !== '200').length
  return {
    people: people.length,
    answers: tallyAnswers(answers),
    recoveryMs,
    lost,
    countedTwice: 0,
  }
}

/** The process of the local chain with this state file. */
function findChainProcess(stateFile: string): number {
  const { stdout } = spawnSync('pgrep', ['-f', `anvil.*--state ${stateFile}`], { encoding: 'utf8' })
  return Number(stdout.trim().split('\n')[0])
}

async function stopMail({ facts, folder }: Scene): Promise<Outcome> {
  const { internalSecret } = Secrets.parse(
    JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')),
  )
  const api = restartableProcess('webhooks/server.ts')
  const restart = async (other: Record<string, string>) => {
    api.kill()
    await api.restart(other)
    while (!(await fetch(`${facts.baseUrl}/readyz`).catch(() => null))?.ok) await sleep(20)
  }
  const deliver = () =>
    fetch(`${facts.baseUrl}/api/_mail`, {
      method: 'POST',
      headers: { authorization: `Bearer ${internalSecret}` },
    })
  // Nobody listens there.
  await restart({ SMTP_URL: 'smtp://127.0.0.1:9' })
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, i) => signUpPerson(facts.baseUrl, i)),
  )
  await deliver()
  await restart({})
  const over = performance.now()
  const client = new Client(facts.databaseUrl)
  await client.connect()
  const unsent = async () => {
    // A message that was not delivered is due again later; make it due at once.
    await client.query('update mail set due_at = now() where sent_at is null')
    await deliver()
    const { rows } = await client.query<{ n: number }>(
      'select count(*)::int as n from mail where sent_at is null',
    )
    return present(rows[0], 'the count').n
  }
  let left = await unsent()
  for (let tries = 0; left > 0 && tries < 20; tries++) left = await unsent()
  await client.end()
  const recoveryMs = performance.now() - over
  return {
    people: answers.length,
    answers: tallyAnswers(answers),
    recoveryMs,
    lost: left,
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
  return answerText(response, await response?.json().catch(() => null))
}
