import { setTimeout as pause } from 'node:timers/promises'
import { batchCalls } from '../../../lib/runtime/calls/batch-calls.ts'
import type { Log } from '../../../lib/runtime/log/log.ts'
import { present } from '../../../lib/runtime/present.ts'
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
/** A standby that did not answer is left alone for so long: else every query would wait for it. */
const REST_MS = 5_000

/** Teams' queries on a standby (docs/decisions/services/0094-reads-on-a-standby.md). */
export function createStandbyReads({ endpoint, primary, standby, log }: Options): Standby {
  const written = sharedPosition(primary)
  const replayed = sharedPosition(standby)
  let restsUntil = 0
  return {
    async answer(body, call, askPrimary) {
      if (performance.now() < restsUntil || !(await isCurrent())) return askPrimary()
      const answer = await callHasura(body, { ...call, endpoint }).catch((err: unknown) => {
        if (!hasLeft(call.signal)) rest(err)
        return null
      })
      return answer && hasData(answer) ? answer : askPrimary()
    },
  }

  async function isCurrent(): Promise<boolean> {
    // What is wrong with the primary is told by its own answer.
    const wanted = await written().catch(() => null)
    if (wanted === null) return false
    try {
      return await catchesUp(replayed, wanted)
    } catch (err) {
      rest(err)
      return false
    }
  }

  function rest(err: unknown) {
    log.warn({ err }, 'the standby does not answer: the primary does')
    restsUntil = performance.now() + REST_MS
  }
}

/** One question for all queries that wait; never one that was asked before a query came. */
function sharedPosition(graphql: Positions): () => Promise<bigint> {
  const ask = batchCalls<string, bigint>(
    async (waiting) => {
      const [row] = (await graphql.LogPosition({ limit: 1 })).log_position
      const { position: text } = present(row, 'the position of the log')
      const position = BigInt(text)
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

/** Whether whoever asked has gone, rather than waited in vain. */
function hasLeft({ aborted, reason }: { aborted: boolean; reason: unknown }): boolean {
  return aborted && !(reason instanceof DOMException && reason.name === 'TimeoutError')
}

/**
 * Whether it is an answer to what was asked. An error may be the standby's own: it ends statements that keep it from replaying the
 * log, can be away, and has metadata and an auth hook that may be others than the primary's.
 */
function hasData({ status, body }: HasuraAnswer): boolean {
  return status === 200 && (body.length >= MAX_ERRORS_BYTES || !body.includes('"errors":'))
}

/** An answer with errors has no data, and is short. */
const MAX_ERRORS_BYTES = 4_000
