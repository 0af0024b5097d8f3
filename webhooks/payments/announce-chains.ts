import { resultInTime } from '../../lib/runtime/calls/result-in-time.ts'
import type { Log } from '../../lib/runtime/log/log.ts'
import { startChore } from '../../lib/runtime/service/chore.ts'
import type { Sdk } from '../generated/sdk.ts'

type Options = {
  graphql: Sdk
  /** Tells this process apart from other instances. */
  instance: string
  log: Log
}

/** An announcement holds for two minutes, so several may fail. */
const EVERY_MS = 20_000

/** How long the end of the process waits for Hasura. */
const MAX_WAIT_MS = 1_000

/**
 * Tells the database which chains this instance reads payments from, again and again until it ends: a payment on a
 * chain that no instance reads is refused when it is entered.
 *
 * Resolves once this was tried for the first time, so that a Hasura that is down holds nothing up.
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
