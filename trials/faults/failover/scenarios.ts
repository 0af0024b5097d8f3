import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import type { DatabaseMachine } from './database-machine.ts'

/** A fault, and the goal for the longest pause of verifications; null without a goal. */
export type Scenario = {
  goalMs: number | null
  /** Causes the fault, and repairs what an operator must repair, such as a cable. The cluster must recover from the rest. */
  causeFault(cluster: Cluster): Promise<void>
}

const AFTER_KILL_MS = 15_000
const SWITCH_OVER_MS = 2_000

/**
 * Long enough for a new primary. A lost primary keeps its lease for 20 seconds (`ttl` in ops/failover/patroni.yml). If etcd
 * loses its leader too, these 20 seconds begin again.
 */
const FAILOVER_MS = 45_000
/** Long enough for a fault to affect callers, if no lease has to end first. */
const SHORT_MS = 8_000

/** Every fault. They are caused in this order. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  'switch-over to the standby, as for an upgrade': {
    goalMs: SWITCH_OVER_MS,
    async causeFault(cluster) {
      const { primary } = await cluster.findRoles()
      await primary.switchOver(primary.name)
    },
  },
  "the primary's PostgreSQL is killed": {
    goalMs: AFTER_KILL_MS,
    async causeFault(cluster) {
      const { primary } = await cluster.findRoles()
      await primary.killPostgres()
      await waitForAnother(cluster, primary)
    },
  },
  "the primary's machine loses power": {
    goalMs: null,
    causeFault: async (cluster) => losePower((await cluster.findRoles()).primary),
  },
  "the primary's network is cut": {
    goalMs: null,
    async causeFault(cluster) {
      const { primary } = await cluster.findRoles()
      cluster.network.cut(primary.name)
      await sleep(FAILOVER_MS)
      cluster.network.restore(primary.name)
    },
  },
  'the primary sees the services, but no other database machine': {
    goalMs: null,
    async causeFault(cluster) {
      const { primary } = await cluster.findRoles()
      const otherMachines = cluster.databaseMachines.filter(({ name }) => name !== primary.name)
      await primary.cutOffFrom(otherMachines.map(({ address }) => address))
      await sleep(FAILOVER_MS)
      await primary.endCutOff()
    },
  },
  'the primary sees the other database machines, but not the services': {
    // The other machines notice nothing, so none takes over: the pause lasts as long as the fault.
    goalMs: null,
    async causeFault(cluster) {
      const { primary } = await cluster.findRoles()
      await primary.cutOffFrom([cluster.pooler.address])
      await sleep(SHORT_MS)
      await primary.endCutOff()
    },
  },
  "the synchronous standby's machine loses power": {
    goalMs: AFTER_KILL_MS,
    causeFault: async (cluster) => losePower((await cluster.findRoles()).synchronous),
  },
  "the primary's etcd, one of three, is killed": {
    goalMs: AFTER_KILL_MS,
    async causeFault(cluster) {
      const { primary } = await cluster.findRoles()
      await primary.killEtcd()
      await sleep(SHORT_MS)
      primary.start()
    },
  },
  'PgBouncer is killed and restarted': {
    goalMs: AFTER_KILL_MS,
    async causeFault({ pooler }) {
      await pooler.killPgBouncer()
      pooler.start()
    },
  },
  'HAProxy is killed and restarted': {
    goalMs: AFTER_KILL_MS,
    async causeFault({ pooler }) {
      await pooler.killHaproxy()
      pooler.start()
    },
  },
  "the primary's disk is full": {
    goalMs: AFTER_KILL_MS,
    async causeFault(cluster) {
      const { primary } = await cluster.findRoles()
      try {
        await primary.fillDisk()
        await waitForAnother(cluster, primary)
        // Without space, the old primary cannot become a standby either.
        await sleep(SHORT_MS)
      } finally {
        await primary.emptyDisk()
      }
    },
  },
  "the primary's clock jumps an hour ahead and back": {
    goalMs: AFTER_KILL_MS,
    async causeFault(cluster) {
      const { primary } = await cluster.findRoles()
      primary.jumpClock(3_600)
      await sleep(SHORT_MS)
      primary.jumpClock(0)
      await sleep(SHORT_MS)
    },
  },
}

async function losePower(machine: DatabaseMachine): Promise<void> {
  await machine.kill()
  await sleep(FAILOVER_MS)
  machine.start()
}

/** Resolves when another machine is the primary. */
async function waitForAnother(
  { findRoles: roles }: Cluster,
  former: DatabaseMachine,
): Promise<void> {
  const deadline = Date.now() + 60_000
  for (;;) {
    const currentRoles = await roles().catch(() => null)
    if (currentRoles && currentRoles.primary !== former) return
    if (Date.now() > deadline) throw new Error(`${former.name} is still the primary after 60 s`)
    await sleep(100)
  }
}
