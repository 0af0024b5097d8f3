import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { present } from '../../../lib/runtime/present.ts'
import { createRoles, type DatabaseUrls } from '../../../packages/platform/parts/database-roles.ts'
import { type DatabaseMachine, databaseMachine } from './database-machine.ts'
import { addressAt, makeNetwork, type Network } from './network.ts'
import { PORTS, type PoolerMachine, poolerMachine } from './pooler-machine.ts'

/** Three database machines, and the machine between them and the services. */
export type Cluster = {
  network: Network
  machines: readonly DatabaseMachine[]
  pooler: PoolerMachine
  /** How Hasura, the sign-in server and a superuser connect. */
  urls: DatabaseUrls
  /** The machine that is the primary, and the one that has every acknowledged commit as well. */
  roles(): Promise<{ primary: DatabaseMachine; synchronous: DatabaseMachine }>
  /** Resolves when all machines are there, and the standbys follow. @throws when that takes too long */
  waitUntilWhole(): Promise<void>
  /** The programs of the machines, with their versions, in words. */
  versions(): Promise<string>
  stop(): Promise<void>
}

/**
 * The disks of a machine, with their sizes, are in memory: neither PostgreSQL nor etcd need wait for the disk of this computer, which
 * others may use. PostgreSQL's is several times what it keeps of its log, so that only a fault fills it.
 */
const DISKS = { disk: '3g', etcd: '512m' }

const WHOLE_AFTER_MS = 180_000

type ClusterOptions = {
  /** The folder of the Debian whose programs the machines run. */
  root: string
  /** Where the machines keep what is theirs. */
  folder: string
  /** The password that a given Hasura has already. */
  hasuraPassword: string | null
}

/** Starts them in a folder, and waits until there is a primary with its standbys. */
export async function startCluster({
  hasuraPassword,
  ...options
}: ClusterOptions): Promise<Cluster> {
  const passwords = { superuser: password(), replication: password(), restApi: password() }
  const users = { hasura: hasuraPassword ?? password(), sign_in: password() }
  const network = makeNetwork()
  const machines = NAMES.map((name, i) =>
    plugInDatabase(network, { ...options, name, passwords, address: addressAt(11 + i) }),
  )
  const pooler = plugInPooler(network, { ...options, users, machines })
  for (const machine of [...machines, pooler]) machine.start()
  const stop = async () => {
    await Promise.all([...machines, pooler].map((machine) => machine.kill()))
    for (const name of NAMES)
      for (const disk of Object.keys(DISKS))
        execFileSync('umount', [join(options.folder, name, disk)])
    network.remove()
  }
  try {
    await waitUntilWhole(machines)
    return {
      network,
      machines,
      pooler,
      urls: await makeAccounts(passwords.superuser, users),
      roles: () => findRoles(machines),
      waitUntilWhole: () => waitUntilWhole(machines),
      versions: () => readVersions(machines),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const NAMES = ['db1', 'db2', 'db3'] as const
const GATEWAY = { name: 'gateway', address: addressAt(20) }

function plugInDatabase(network: Network, options: Parameters<typeof databaseMachine>[0]) {
  const { name, address, folder } = options
  network.plugIn(name, address)
  for (const [disk, size] of Object.entries(DISKS)) {
    const place = join(folder, name, disk)
    mkdirSync(place, { recursive: true })
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', place])
  }
  return databaseMachine({ ...options, folder: join(folder, name) })
}

type PoolerOptions = {
  root: string
  folder: string
  users: Record<string, string>
  machines: readonly DatabaseMachine[]
}

function plugInPooler(network: Network, { folder, machines, ...options }: PoolerOptions) {
  network.plugIn(GATEWAY.name, GATEWAY.address)
  const own = join(folder, GATEWAY.name)
  mkdirSync(own)
  const databases = Object.fromEntries(machines.map(({ name, address }) => [name, address]))
  return poolerMachine({ ...options, ...GATEWAY, folder: own, databases })
}

/**
 * Makes the roles of ops/roles.sql. Hasura connects through PgBouncer. To HAProxy itself connect the sign-in server, which sets
 * its sessions up, and the engine that delivers, which locks rows for a session.
 */
async function makeAccounts(
  superuser: string,
  users: { hasura: string; sign_in: string },
): Promise<DatabaseUrls> {
  const at = `${GATEWAY.address}:${PORTS.haproxy}`
  const urls = await createRoles(`postgres://postgres:${superuser}@${at}/postgres`, {
    hasura: users.hasura,
    signIn: users.sign_in,
  })
  const pooled = Object.assign(new URL(urls.hasuraUrl), { port: String(PORTS.pgbouncer) })
  return { ...urls, hasuraUrl: pooled.href, deliveryUrl: urls.hasuraUrl }
}

function password(): string {
  return randomBytes(24).toString('hex')
}

/** What Patroni tells of its machines. */
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

async function findRoles(machines: readonly DatabaseMachine[]) {
  const members = await askPatroni(machines).catch(() => askPatroni(machines))
  const machineOf = (role: string) => {
    const member = members.find((each) => each.role === role)
    return present(
      machines.find(({ name }) => name === member?.name),
      `the ${role}`,
    )
  }
  return { primary: machineOf('leader'), synchronous: machineOf('sync_standby') }
}

async function waitUntilWhole(machines: readonly DatabaseMachine[]): Promise<void> {
  const deadline = Date.now() + WHOLE_AFTER_MS
  for (;;) {
    const members = await askPatroni(machines).catch(() => [])
    const states = members.map(({ role, state }) => `${role} ${state}`).sort()
    if (states.join() === WHOLE.join() && members.every(({ lag = 0 }) => lag === 0)) return
    if (Date.now() > deadline)
      throw new Error(`after ${WHOLE_AFTER_MS / 1_000} s: ${JSON.stringify(members)}`)
    await sleep(200)
  }
}

const WHOLE = ['leader running', 'replica streaming', 'sync_standby streaming']

/** Asks the Patroni that answers first. */
async function askPatroni(machines: readonly DatabaseMachine[]) {
  const asked = machines.map(async ({ address }) => {
    const answer = await fetch(`http://${address}:8008/cluster`, {
      signal: AbortSignal.timeout(5_000),
    })
    return Members.parse(await answer.json()).members
  })
  return Promise.any(asked)
}

/** The versions of what runs on the machines, as Debian counts them. */
async function readVersions([machine]: readonly DatabaseMachine[]): Promise<string> {
  const packages = ['postgresql-18', 'patroni', 'etcd-server', 'haproxy', 'pgbouncer']
  const shown = await present(machine, 'a machine').run('dpkg-query', '--show', ...packages)
  return shown.trim().replaceAll('\t', ' ').replaceAll('\n', ', ')
}
