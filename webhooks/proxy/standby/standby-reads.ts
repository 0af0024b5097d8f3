import { setTimeout as pause } from 'node:timers/promises'
import { batchCalls } from '../../../lib/runtime/calls/batch-calls.ts'
import type { Log } from '../../../lib/runtime/log/log.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import type { Sdk } from '../../generated/sdk.ts'
import { callHasura, type HasuraAnswer, type HasuraCall } from '../call-hasura.ts'

/** A second Hasura with a standby database. */
export type Standby = {
  /**
   * Returns the standby's response to a query. Asks the primary if the standby has not replayed all changes that were
   * committed when the query arrived, so that a caller always reads its earlier changes. Also asks the primary if the
   * standby does not answer, or answers with an error.
   */
  answer(
    body: string,
    call: Omit<HasuraCall, 'endpoint'>,
    askPrimary: () => Promise<HasuraAnswer>,
  ): Promise<HasuraAnswer>
}

type PositionReader = Pick<Sdk, 'LogPosition'>

type Options = { endpoint: string; primary: PositionReader; standby: PositionReader; log: Log }

/** The pauses before each check that the standby has caught up: 37 ms in total. */
const PAUSES_MS = [0, 2, 5, 10, 20]
/** After the standby did not answer, it gets no queries for this time. Otherwise every query would wait for the standby. */
const PAUSE_AFTER_FAILURE_MS = 5_000

/** Creates the reader of the standby (docs/decisions/services/0094-reads-on-a-standby.md). */
export function createStandbyReads({ endpoint, primary, standby, log }: Options): Standby {
  const written = sharedPosition(primary)
  const readReplayedPosition = sharedPosition(standby)
  let pausedUntil = 0
  return {
    async answer(body, call, askPrimary) {
      if (performance.now() < pausedUntil || !(await isCurrent())) return askPrimary()
      const answer = await callHasura(body, { ...call, endpoint }).catch((err: unknown) => {
        if (!hasDisconnected(call.signal)) pauseStandby(err)
        return null
      })
      return answer && hasData(answer) ? answer : askPrimary()
    },
  }

  async function isCurrent(): Promise<boolean> {
    // If the primary does not report its position, the query goes to the primary, and the caller gets its error.
    const target = await written().catch(() => null)
    if (target === null) return false
    try {
      return await waitForReplay(readReplayedPosition, target)
    } catch (err) {
      pauseStandby(err)
      return false
    }
  }

  function pauseStandby(err: unknown) {
    log.warn({ err }, 'standby does not answer; using the primary')
    pausedUntil = performance.now() + PAUSE_AFTER_FAILURE_MS
  }
}

/**
 * Creates the function that reads the position in the write-ahead log. Queries that wait share one read, which starts
 * after they have arrived.
 */
function sharedPosition(graphql: PositionReader): () => Promise<bigint> {
  const ask = batchCalls<string, bigint>(
    async (calls) => {
      const [row] = (await graphql.LogPosition({ limit: 1 })).log_position
      const { position: text } = requireValue(row, 'the position of the log')
      const position = BigInt(text)
      return calls.map(() => position)
    },
    { maxBatch: 1_000, maxUnderWay: 1 },
  )
  return () => ask('position')
}

async function waitForReplay(
  readReplayedPosition: () => Promise<bigint>,
  target: bigint,
): Promise<boolean> {
  for (const ms of PAUSES_MS) {
    if (ms > 0) await pause(ms)
    if ((await readReplayedPosition()) >= target) return true
  }
  return false
}

/** True if the call was aborted because the caller disconnected, and not because of a timeout. */
function hasDisconnected({ aborted, reason }: { aborted: boolean; reason: unknown }): boolean {
  return aborted && !(reason instanceof DOMException && reason.name === 'TimeoutError')
}

/**
 * True for a response without errors. After an error, the primary is asked, because it may succeed: the standby cancels
 * statements that block the replay of the log, and may have other metadata and another auth hook.
 */
function hasData({ status, body }: HasuraAnswer): boolean {
  return status === 200 && (body.length >= MAX_ERRORS_BYTES || !body.includes('"errors":'))
}

/** A response with only errors is shorter than this. */
const MAX_ERRORS_BYTES = 4_000
