import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import type { DatabaseMachine } from './database-machine.ts'

/** A fault: how it is caused, and how soon verifications must go on, if there is a goal. */
export type Scenario = {
  goalMs: number | null
  /** Causes it, and mends what an operator must mend, such as a cable. Everything else must mend itself. */
  strike(cluster: Cluster): Promise<void>
}

const AFTER_KILL_MS = 15_000
const SWITCH_OVER_MS = 2_000

/**
 * By its end there is another primary: one that is gone keeps its lease (`ttl` in ops/failover/patroni.yml) for 20 seconds,
 * which begin anew when etcd has lost its leader, too.
 */
const AWAY_MS = 45_000
/** Long enough to be noticed, where nobody waits for a lease. */
const SHORT_MS = 8_000

/** Every fault, in the order in which they are caused. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  'switch-over to the standby, as for an upgrade': {
    goalMs: SWITCH_OVER_MS,
    async strike(cluster) {
      const { primary } = await cluster.roles()
      await primary.switchOver(primary.name)
    },
  },
  "the primary's PostgreSQL is killed": {
    goalMs: AFTER_KILL_MS,
    async strike(cluster) {
      const { primary } = await cluster.roles()
      await primary.killPostgres()
      await waitForAnother(cluster, primary)
    },
  },
  "the primary's machine loses power": {
    goalMs: null,
    strike: async (cluster) => losePower((await cluster.roles()).primary),
  },
  "the primary's network is cut": {
    goalMs: null,
    async strike(cluster) {
      const { primary } = await cluster.roles()
      cluster.network.cut(primary.name)
      await sleep(AWAY_MS)
      cluster.network.restore(primary.name)
    },
  },
  'the primary sees the services, but no other database machine': {
    goalMs: null,
    async strike(cluster) {
      const { primary } = await cluster.roles()
      const others = cluster.machines.filter(({ name }) => name !== primary.name)
      await primary.cutOffFrom(others.map(({ address }) => address))
      await sleep(AWAY_MS)
      await primary.endCutOff()
    },
  },
  'the primary sees the other database machines, but not the services': {
    // For the other machines nothing is wrong, so none takes over: it lasts as long as the fault.
    goalMs: null,
    async strike(cluster) {
      const { primary } = await cluster.roles()
      await primary.cutOffFrom([cluster.pooler.address])
      await sleep(SHORT_MS)
      await primary.endCutOff()
    },
  },
  "the synchronous standby's machine loses power": {
    goalMs: AFTER_KILL_MS,
    strike: async (cluster) => losePower((await cluster.roles()).synchronous),
  },
  "one etcd of three is lost, the primary's": {
    goalMs: AFTER_KILL_MS,
    async strike(cluster) {
      const { primary } = await cluster.roles()
      await primary.killEtcd()
      await sleep(SHORT_MS)
      primary.start()
    },
  },
  'PgBouncer is killed, and started again': {
    goalMs: AFTER_KILL_MS,
    async strike({ pooler }) {
      await pooler.killPgBouncer()
      pooler.start()
    },
  },
  'HAProxy is killed, and started again': {
    goalMs: AFTER_KILL_MS,
    async strike({ pooler }) {
      await pooler.killHaproxy()
      pooler.start()
    },
  },
  "the primary's disk is full": {
    goalMs: AFTER_KILL_MS,
    async strike(cluster) {
      const { primary } = await cluster.roles()
      try {
        await primary.fillDisk()
        await waitForAnother(cluster, primary)
        // While there is no space it cannot become a standby either.
        await sleep(SHORT_MS)
      } finally {
        await primary.emptyDisk()
      }
    },
  },
  "the primary's clock jumps an hour ahead, and back": {
    goalMs: AFTER_KILL_MS,
    async strike(cluster) {
      const { primary } = await cluster.roles()
      primary.jumpClock(3_600)
      await sleep(SHORT_MS)
      primary.jumpClock(0)
      await sleep(SHORT_MS)
    },
  },
}

async function losePower(machine: DatabaseMachine): Promise<void> {
  await machine.kill()
  await sleep(AWAY_MS)
  machine.start()
}

/** Resolves when another machine is the primary. */
async function waitForAnother({ roles }: Cluster, former: DatabaseMachine): Promise<void> {
  const deadline = Date.now() + 60_000
  for (;;) {
    const found = await roles().catch(() => null)
    if (found && found.primary !== former) return
    if (Date.now() > deadline) throw new Error(`${former.name} is the primary still`)
    await sleep(100)
  }
}
