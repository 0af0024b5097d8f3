import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { createRoles, type DatabaseUrls } from '../../../packages/platform/parts/database-roles.ts'
import { createDatabaseMachine, type DatabaseMachine } from './database-machine.ts'
import { addressAt, createNetwork, type Network } from './network.ts'
import { createPoolerMachine, PORTS, type PoolerMachine } from './pooler-machine.ts'

/** Three database machines, and the machine with PgBouncer and HAProxy that connects the services to them. */
export type Cluster = {
  network: Network
  databaseMachines: readonly DatabaseMachine[]
  pooler: PoolerMachine
  /** The database URLs of Hasura, the sign-in server, the engine that delivers events, and a superuser. */
  urls: DatabaseUrls
  /** Finds the primary and the synchronous standby, which has every acknowledged commit. */
  findRoles(): Promise<{ primary: DatabaseMachine; synchronous: DatabaseMachine }>
  /** Resolves when all machines run and the standbys have no lag. @throws Error after three minutes */
  waitUntilHealthy(): Promise<void>
  /** Lists the machines' programs with their versions. */
  versions(): Promise<string>
  stop(): Promise<void>
}

/**
 * The sizes of a machine's disks. They are in memory, so that other programs' use of this computer's disk does not slow
 * PostgreSQL and etcd. PostgreSQL's disk is several times larger than the write-ahead log that PostgreSQL keeps,
 * so that only a fault fills the disk.
 */
const DISKS = { disk: '3g', etcd: '512m' }

const HEALTHY_TIMEOUT_MS = 180_000

type ClusterOptions = {
  /** The folder with the Debian that all machines run. */
  root: string
  /** The folder with the machines' data and logs. */
  folder: string
  /** The database password of an existing Hasura; null to create one. */
  hasuraPassword: string | null
}

/** Starts the machines, and waits until there is a primary with two standbys. */
export async function startCluster({
  hasuraPassword,
  ...options
}: ClusterOptions): Promise<Cluster> {
  const passwords = {
    superuser: createPassword(),
    replication: createPassword(),
    restApi: createPassword(),
  }
  const users = { hasura: hasuraPassword ?? createPassword(), sign_in: createPassword() }
  const network = createNetwork()
  const databaseMachines = NAMES.map((name, i) =>
    plugInDatabase(network, { ...options, name, passwords, address: addressAt(11 + i) }),
  )
  const pooler = plugInPooler(network, { ...options, users, databaseMachines })
  for (const machine of [...databaseMachines, pooler]) machine.start()
  const stop = async () => {
    await Promise.all([...databaseMachines, pooler].map((machine) => machine.kill()))
    for (const name of NAMES)
      for (const disk of Object.keys(DISKS))
        execFileSync('umount', [join(options.folder, name, disk)])
    network.remove()
  }
  try {
    await waitUntilHealthy(databaseMachines)
    return {
      network,
      databaseMachines,
      pooler,
      urls: await createAccounts(passwords.superuser, users),
      findRoles: () => findRoles(databaseMachines),
      waitUntilHealthy: () => waitUntilHealthy(databaseMachines),
      versions: () => readVersions(databaseMachines),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const NAMES = ['db1', 'db2', 'db3'] as const
const GATEWAY = { name: 'gateway', address: addressAt(20) }

function plugInDatabase(network: Network, options: Parameters<typeof createDatabaseMachine>[0]) {
  const { name, address, folder } = options
  network.plugIn(name, address)
  for (const [disk, size] of Object.entries(DISKS)) {
    const place = join(folder, name, disk)
    mkdirSync(place, { recursive: true })
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', place])
  }
  return createDatabaseMachine({ ...options, folder: join(folder, name) })
}

type PoolerOptions = {
  root: string
  folder: string
  users: Record<string, string>
  databaseMachines: readonly DatabaseMachine[]
}

function plugInPooler(network: Network, { folder, databaseMachines, ...options }: PoolerOptions) {
  network.plugIn(GATEWAY.name, GATEWAY.address)
  const gatewayFolder = join(folder, GATEWAY.name)
  mkdirSync(gatewayFolder)
  const databases = Object.fromEntries(databaseMachines.map(({ name, address }) => [name, address]))
  return createPoolerMachine({ ...options, ...GATEWAY, folder: gatewayFolder, databases })
}

/**
 * Creates the roles of ops/roles.sql. Hasura connects through PgBouncer. The sign-in server and the engine that delivers events
 * connect to HAProxy directly: the sign-in server configures its sessions, and the engine locks rows for a session.
 */
async function createAccounts(
  superuser: string,
  users: { hasura: string; sign_in: string },
): Promise<DatabaseUrls> {
  const at = `${GATEWAY.address}:${PORTS.haproxy}`
  const urls = await createRoles(`postgres://postgres:${superuser}@${at}/postgres`, {
    hasura: users.hasura,
    signIn: users.sign_in,
  })
  const pooledUrl = Object.assign(new URL(urls.hasuraUrl), { port: String(PORTS.pgbouncer) })
  return { ...urls, hasuraUrl: pooledUrl.href, deliveryUrl: urls.hasuraUrl }
}

function createPassword(): string {
  return randomBytes(24).toString('hex')
}

/** Patroni's description of the cluster. */
const Members = z.object({
  members: z.array(
    z.object({
      name: z.string(),
      role: z.string(),
      state: z.string(),
      lag: z.union([z.number(), z.string()]).optional(),
    }),
  ),
})

async function findRoles(databaseMachines: readonly DatabaseMachine[]) {
  const members = await fetchMembers(databaseMachines).catch(() => fetchMembers(databaseMachines))
  const findMachine = (role: string) => {
    const member = members.find((each) => each.role === role)
    return requireValue(
      databaseMachines.find(({ name }) => name === member?.name),
      `the ${role}`,
    )
  }
  return { primary: findMachine('leader'), synchronous: findMachine('sync_standby') }
}

async function waitUntilHealthy(databaseMachines: readonly DatabaseMachine[]): Promise<void> {
  const deadline = Date.now() + HEALTHY_TIMEOUT_MS
  for (;;) {
    const members = await fetchMembers(databaseMachines).catch(() => [])
    const states = members.map(({ role, state }) => `${role} ${state}`).sort()
    if (states.join() === HEALTHY_STATES.join() && members.every(({ lag = 0 }) => lag === 0)) return
    if (Date.now() > deadline)
      throw new Error(
        `The cluster is not healthy after ${HEALTHY_TIMEOUT_MS / 1_000} s: ${JSON.stringify(members)}`,
      )
    await sleep(200)
  }
}

const HEALTHY_STATES = ['leader running', 'replica streaming', 'sync_standby streaming']

/** Requests the members from every Patroni, and takes the first response. */
async function fetchMembers(databaseMachines: readonly DatabaseMachine[]) {
  const requests = databaseMachines.map(async ({ address }) => {
    const answer = await fetch(`http://${address}:8008/cluster`, {
      signal: AbortSignal.timeout(5_000),
    })
    return Members.parse(await answer.json()).members
  })
  return Promise.any(requests)
}

/** Lists the Debian versions of the programs. */
async function readVersions([machine]: readonly DatabaseMachine[]): Promise<string> {
  const packages = ['postgresql-18', 'patroni', 'etcd-server', 'haproxy', 'pgbouncer']
  const packageList = await requireValue(machine, 'a machine').run(
    'dpkg-query',
    '--show',
    ...packages,
  )
  return packageList.trim().replaceAll('\t', ' ').replaceAll('\n', ', ')
}
