import type { Pool } from 'pg'
import { batchCalls } from '../../lib/runtime/calls/batch-calls.ts'
import { isUnavailable } from '../errors/unavailable.ts'
import { type ArtifactStep, rowName, runSteps, type StepOutcome } from './artifact-statement.ts'

/** The maximum number of steps in a statement, and of statements at once. */
const SHARING = { maxBatch: 64, maxUnderWay: 2 }

/**
 * Lets requests that arrive at the same moment share statements. An error caused by the values of a step reaches only
 * the caller of that step.
 *
 * @returns a function that runs a step, and resolves with its outcome
 */
export function shareStatements(pool: Pool): (step: ArtifactStep) => Promise<StepOutcome> {
  return batchCalls<ArtifactStep, StepOutcome>(async (steps) => {
    const outcomes = new Map<ArtifactStep, StepOutcome | Error>()
    for (const wave of divideIntoWaves(steps)) {
      const waveOutcomes = await settleSteps(pool, wave)
      for (const [i, step] of wave.entries()) outcomes.set(step, waveOutcomes[i])
    }
    return steps.map((step) => outcomes.get(step))
  }, SHARING)
}

/**
 * Divides steps into as few waves as possible. No wave changes a row in two ways, and the changes to each row keep
 * their order.
 */
function divideIntoWaves(steps: readonly ArtifactStep[]): ArtifactStep[][] {
  const waves: ArtifactStep[][] = [[]]
  const lastChanges = new Map<string, { kind: ArtifactStep['kind']; wave: number }>()
  for (const step of steps) {
    const row = rowName(step)
    const lastChange = step.kind === 'find' ? undefined : lastChanges.get(row)
    // Several steps that use up (or destroy) the same row may share a statement; one step succeeds.
    const canShare = lastChange?.kind === step.kind && step.kind !== 'store'
    const wave = lastChange ? lastChange.wave + (canShare ? 0 : 1) : 0
    if (step.kind !== 'find') lastChanges.set(row, { kind: step.kind, wave })
    waves[wave] ??= []
    waves[wave].push(step)
  }
  return waves
}

/** Runs steps in one statement. If the values of a step make the statement fail, runs each step in a separate statement. */
async function settleSteps(
  pool: Pool,
  steps: readonly ArtifactStep[],
): Promise<(StepOutcome | Error)[]> {
  try {
    return await runSteps(pool, steps)
  } catch (error) {
    if (isUnavailable(error)) throw error
    if (steps.length === 1) return [error instanceof Error ? error : new Error(String(error))]
    const outcomes = await Promise.all(steps.map((step) => settleSteps(pool, [step])))
    return outcomes.flat()
  }
}
