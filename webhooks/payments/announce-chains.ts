import { resultInTime } from '../../lib/runtime/calls/result-in-time.ts'
import type { Log } from '../../lib/runtime/log/log.ts'
import { startChore } from '../../lib/runtime/service/chore.ts'
import type { Sdk } from '../generated/sdk.ts'

type Options = {
  graphql: Sdk
  /** The id of this process. */
  instance: string
  log: Log
}

/** The time between two announcements. An announcement is valid for two minutes, so some may fail. */
const EVERY_MS = 20_000

/** How long the process waits for Hasura when it stops. */
const MAX_WAIT_MS = 1_000

/**
 * Tells the database regularly which chains this instance reads payments from. The database refuses a new payment on a
 * chain that no instance reads.
 *
 * Resolves after the first attempt, even if it failed, so that this process can start while Hasura is down.
 */
export async function announceChains(
  chains: readonly string[],
  { graphql, instance, log }: Options,
): Promise<{ stop(): Promise<void> }> {
  if (chains.length === 0) return { async stop() {} }
  const announce = async (names: readonly string[]) => {
    await graphql.AnnounceChains({ instance, chains: names })
  }
  const warn = (err: unknown) => log.warn({ err }, 'chains not announced')
  await announce(chains).catch(warn)
  const chore = startChore({
    name: 'announce chains',
    everyMs: EVERY_MS,
    run: () => announce(chains),
    log,
  })
  return {
    async stop() {
      chore.stop()
      await resultInTime(MAX_WAIT_MS, announce([]).catch(warn))
    },
  }
}
