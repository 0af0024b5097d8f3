import { setTimeout as pause } from 'node:timers/promises'
import { batchCalls } from '../../../lib/calls/batch-calls.ts'
import type { Log } from '../../../lib/telemetry/log.ts'
import type { Sdk } from '../../generated/sdk.ts'
import { callHasura, type HasuraAnswer, type HasuraCall } from '../call-hasura.ts'

/** A second Hasura, whose database is a standby. */
export type Standby = {
  /**
   * The standby's answer to a query; that of `askPrimary` where the standby has not caught up with everything that was
   * committed when the query came, or does not answer. So whoever has changed something, by whichever way, finds it changed.
   */
  answer(
    body: string,
    call: Omit<HasuraCall, 'endpoint'>,
    askPrimary: () => Promise<HasuraAnswer>,
  ): Promise<HasuraAnswer>
}

type Positions = Pick<Sdk, 'LogPosition'>

type Options = { endpoint: string; primary: Positions; standby: Positions; log: Log }

/** How long a query waits for the standby to catch up, between looks: 37 ms in all. */
const PAUSES_MS = [0, 2, 5, 10, 20]
/** How long it has for an answer, so that there is time left for the primary's. */
const LONGEST_MS = 2_500
/** A standby that did not say how far it is is left alone for so long: else every query would wait for it. */
const REST_MS = 5_000

/** Teams' queries on a standby (docs/decisions/services/0094-reads-on-a-standby.md). */
export function standbyReads({ endpoint, primary, standby, log }: Options): Standby {
  const written = sharedPosition(primary)
  const replayed = sharedPosition(standby)
  let restsUntil = 0
  return {
    async answer(body, call, askPrimary) {
      if (performance.now() < restsUntil || !(await isCurrent())) return askPrimary()
      const signal = AbortSignal.any([call.signal, AbortSignal.timeout(LONGEST_MS)])
      const answer = await callHasura(body, { ...call, endpoint, signal }).catch(() => null)
      return answer && !isFailure(answer) ? answer : askPrimary()
    },
  }

  async function isCurrent(): Promise<boolean> {
    try {
      return await catchesUp(replayed, await written())
    } catch (err) {
      log.warn({ err }, 'the standby does not answer: the primary does')
      restsUntil = performance.now() + REST_MS
      return false
    }
  }
}

/** One question for all queries that wait; never one that was asked before a query came. */
function sharedPosition(graphql: Positions): () => Promise<bigint> {
  const ask = batchCalls<string, bigint>(
    async (waiting) => {
      const [row] = (await graphql.LogPosition({ limit: 1 })).log_position
      const position = BigInt(row?.position ?? 0)
      return waiting.map(() => position)
    },
    { maxBatch: 1_000, maxUnderWay: 1 },
  )
  return () => ask('position')
}

async function catchesUp(replayed: () => Promise<bigint>, wanted: bigint): Promise<boolean> {
  for (const ms of PAUSES_MS) {
    if (ms > 0) await pause(ms)
    if ((await replayed()) >= wanted) return true
  }
  return false
}

/** What may be due to the standby: it ends statements that keep it from replaying the log, and can be away. */
function isFailure({ status, body }: HasuraAnswer): boolean {
  return status >= 500 || (body.length < MAX_FAILURE_BYTES && FAILURE.test(body.toString()))
}

const MAX_FAILURE_BYTES = 4_000
const FAILURE =
  /"code":"(unexpected|postgres-error|postgres-max-connections-error|concurrent-update)"/
