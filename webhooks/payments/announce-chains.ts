import { resultInTime } from '../../lib/runtime/calls/result-in-time.ts'
import type { Log } from '../../lib/runtime/log/log.ts'
import { startChore } from '../../lib/runtime/service/chore.ts'
import type { Sdk } from '../generated/sdk.ts'
import type { Chain } from './chains.ts'

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
 * Tells the database regularly which chains this instance reads payments from, and their tokens. The database refuses a new payment on a
 * chain that no instance reads, or in a token that no instance knows on the chain.
 *
 * Resolves after the first attempt, even if it failed, so that this process can start while Hasura is down.
 */
export async function announceChains(
  chains: Iterable<Chain>,
  { graphql, instance, log }: Options,
): Promise<{ stop(): Promise<void> }> {
  const tokensByChain = Object.fromEntries(
    Array.from(chains, ({ name, tokens }) => [name, Object.keys(tokens)]),
  )
  if (Object.keys(tokensByChain).length === 0) return { async stop() {} }
  const announce = async (announced: Readonly<Record<string, readonly string[]>>) => {
    await graphql.AnnounceChains({ instance, chains: announced })
  }
  const warn = (err: unknown) => log.warn({ err }, 'chains not announced')
  await announce(tokensByChain).catch(warn)
  const chore = startChore({
    name: 'announce chains',
    everyMs: EVERY_MS,
    run: () => announce(tokensByChain),
    log,
  })
  return {
    async stop() {
      chore.stop()
      await resultInTime(MAX_WAIT_MS, announce({}).catch(warn))
    },
  }
}
