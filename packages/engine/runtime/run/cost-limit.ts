import type { Pool } from 'pg'
import { z } from 'zod'
import type { Bindings } from '../../compiler/ir/ir.ts'
import { EngineError } from '../../errors.ts'
import { fillStatement, type PreparedStatement } from '../database/execute.ts'
import { translatePostgresError } from '../database/postgres-errors.ts'
import type { PrintedPlan } from '../database/printed-plan.ts'
import type { Engine } from '../engine.ts'
import type { PreparedOperation } from './prepare.ts'

/**
 * Caches a new plan. Rejects it instead if the caller has no admin secret and PostgreSQL estimates too high a cost. The cost of a
 * cached plan is estimated again if the plan has been slow, and for each subscription, because a subscription runs repeatedly.
 * Mutations are not estimated: most mutations name the rows that they change, and the callers' time limit stops all others.
 *
 * @throws query-too-costly
 */
export async function cacheIfAffordable(
  engine: Engine,
  {
    plan,
    cachePlan,
    isProven,
    connectionsTo,
  }: Pick<PreparedOperation, 'plan' | 'cachePlan' | 'isProven' | 'connectionsTo'>,
  bindings: Bindings,
): Promise<void> {
  const isCaller = bindings.session.basis !== 'secret'
  const isBounded =
    isCaller && plan.kind !== 'mutation' && Number.isFinite(engine.config.callerMaxCost)
  if (isBounded && (!isProven || plan.kind === 'subscription')) {
    for (const { source, read } of statementsOf(plan, bindings))
      await rejectCostlyStatement(engine, connectionsTo(source).pool, read)
  }
  cachePlan?.()
}

type StatementToEstimate = { text: string; values: readonly unknown[]; path: string }

/** Returns the statements of a query or subscription, each with its source. */
function statementsOf({ live, batches }: PrintedPlan, bindings: Bindings) {
  if (live) return [{ source: live.source, read: subscriptionStatement(live, bindings) }]
  return batches.flatMap(({ source, statements }) =>
    statements.map((statement) => ({ source, read: fillStatement(statement, bindings) })),
  )
}

/** Returns the statement of a subscription with one subscriber. */
function subscriptionStatement(
  { text, parameters }: { text: string; parameters: PreparedStatement['parameters'] },
  bindings: Bindings,
): StatementToEstimate {
  const values = parameters.map(({ read }) => read(bindings))
  return { text, values: [[0], [JSON.stringify(values)]], path: '$' }
}

async function rejectCostlyStatement(
  { config: { callerMaxCost } }: Engine,
  pool: Pool,
  { text, values, path }: StatementToEstimate,
): Promise<void> {
  const cost = await estimateCost()
  if (cost <= callerMaxCost) return
  throw new EngineError(
    'query-too-costly',
    `the query would read too much: its estimated cost is ${Math.round(cost)}, the limit is ${callerMaxCost}. Request fewer rows, or fewer nested rows.`,
  )

  async function estimateCost(): Promise<number> {
    const result = await pool
      .query({ text: `explain (format json) ${text}`, values: [...values] })
      .catch((cause: unknown) => {
        throw translatePostgresError(cause, { text, values: [], path })
      })
    return Estimate.parse(result.rows[0])['QUERY PLAN'][0].Plan['Total Cost']
  }
}

const Estimate = z.object({
  'QUERY PLAN': z.tuple([z.object({ Plan: z.object({ 'Total Cost': z.number() }) })]),
})
