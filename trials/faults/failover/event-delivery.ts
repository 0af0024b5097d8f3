import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Facts } from '../../../packages/platform/facts.ts'
import { APP } from '../crowd.ts'

/**
 * A team's new actions, for each of which an event trigger has the developer API fill in the external nullifier. So it shows
 * in GraphQL that an event was delivered.
 */
const MAKE = `mutation ($name: String!) {
  insert_action_one(object: { app_id: "${APP}", action: $name, name: $name }) { id }
}`
const FIND_DELIVERED = `query ($ids: [String!]!) {
  action(where: { id: { _in: $ids }, external_nullifier: { _is_null: false } }) { id }
}`
const DELETE =
  'mutation ($ids: [String!]!) { delete_action(where: { id: { _in: $ids } }) { affected_rows } }'

/** The wait after a delivery that failed (`retry_conf` of the event trigger, 30 s), with a margin. */
const LAST_DELIVERY_MS = 90_000

type Team = Pick<Facts, 'baseUrl' | 'apiKey'>

const Row = z.object({ id: z.string() })
const Made = z.object({ insert_action_one: Row })
const Found = z.object({ action: z.array(Row) })
const Refusal = z.object({ code: z.string() })
const Answer = z.object({
  data: z.unknown().optional(),
  errors: z.array(z.object({ extensions: Refusal })).optional(),
})

/** Makes one. @returns its id where that was acknowledged; `200`, the code of the error, `503` and the code, or `broken` */
export async function makeAction(
  team: Team,
  name: string,
): Promise<{ id?: string; answer: string }> {
  const { answer, data } = await requestAsTeam(team, MAKE, { name })
  return answer === '200' ? { id: Made.parse(data).insert_action_one.id, answer } : { answer }
}

/** Those of the actions whose event was delivered; none while nobody can be asked. */
export async function findDelivered(team: Team, ids: readonly string[]): Promise<string[]> {
  const { answer, data } = await requestAsTeam(team, FIND_DELIVERED, { ids })
  return answer === '200' ? Found.parse(data).action.map(({ id }) => id) : []
}

/** Waits for the events of these actions, and deletes the actions. @returns how many events were not delivered */
export async function settleActions(team: Team, ids: readonly string[]): Promise<number> {
  const deadline = Date.now() + LAST_DELIVERY_MS
  let delivered = await findDelivered(team, ids)
  while (delivered.length < ids.length && Date.now() < deadline) {
    await sleep(500)
    delivered = await findDelivered(team, ids)
  }
  const { answer } = await requestAsTeam(team, DELETE, { ids })
  if (answer !== '200') throw new Error(`actions are not deleted: ${answer}`)
  return ids.length - delivered.length
}

/** @throws when an answer is none that GraphQL or the developer API may give */
async function requestAsTeam(team: Team, query: string, variables: object) {
  const response = await post(team, JSON.stringify({ query, variables }))
  if (!response) return { answer: 'broken' }
  const { isOk, status, text } = response
  if (!isOk) return { answer: `${status} ${Refusal.parse(JSON.parse(text)).code}` }
  const { data, errors: [error] = [] } = Answer.parse(JSON.parse(text))
  return { answer: error?.extensions.code ?? '200', data }
}

/** Null where the connection ended without a whole answer. */
async function post({ baseUrl, apiKey }: Team, body: string) {
  try {
    const response = await fetch(`${baseUrl}/v1/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(30_000),
    })
    const { ok: isOk, status } = response
    return { isOk, status, text: await response.text() }
  } catch {
    return null
  }
}
