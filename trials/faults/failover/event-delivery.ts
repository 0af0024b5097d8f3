import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Facts } from '../../../packages/platform/facts.ts'
import { APP } from '../verify-people.ts'

/**
 * The team creates actions. For each, an event trigger makes the developer API fill in the external nullifier. So GraphQL shows
 * which events were delivered.
 */
const CREATE_ACTION = `mutation ($name: String!) {
  insert_action_one(object: { app_id: "${APP}", action: $name, name: $name }) { id }
}`
const FIND_DELIVERED = `query ($ids: [String!]!) {
  action(where: { id: { _in: $ids }, external_nullifier: { _is_null: false } }) { id }
}`
const DELETE_ACTIONS =
  'mutation ($ids: [String!]!) { delete_action(where: { id: { _in: $ids } }) { affected_rows } }'

/** The event trigger retries after 30 s (`retry_conf`); this limit has a margin. */
const LAST_DELIVERY_MS = 90_000

type Team = Pick<Facts, 'baseUrl' | 'apiKey'>

const Row = z.object({ id: z.string() })
const CreatedAction = z.object({ insert_action_one: Row })
const DeliveredActions = z.object({ action: z.array(Row) })
const Refusal = z.object({ code: z.string() })
const Answer = z.object({
  data: z.unknown().optional(),
  errors: z.array(z.object({ extensions: Refusal })).optional(),
})

/**
 * Creates an action.
 *
 * @returns the id of the acknowledged action; and the answer: `200`, the error code, `503` and the error code, or `broken`
 */
export async function createAction(
  team: Team,
  name: string,
): Promise<{ id?: string; answer: string }> {
  const { answer, data } = await requestAsTeam(team, CREATE_ACTION, { name })
  return answer === '200'
    ? { id: CreatedAction.parse(data).insert_action_one.id, answer }
    : { answer }
}

/** Finds the actions with delivered events. Returns none if the request fails. */
export async function findDelivered(team: Team, ids: readonly string[]): Promise<string[]> {
  const { answer, data } = await requestAsTeam(team, FIND_DELIVERED, { ids })
  return answer === '200' ? DeliveredActions.parse(data).action.map(({ id }) => id) : []
}

/** Waits up to 90 seconds for the events of these actions, and deletes the actions. @returns the number of undelivered events */
export async function countUndelivered(team: Team, ids: readonly string[]): Promise<number> {
  const deadline = Date.now() + LAST_DELIVERY_MS
  let delivered = await findDelivered(team, ids)
  while (delivered.length < ids.length && Date.now() < deadline) {
    await sleep(500)
    delivered = await findDelivered(team, ids)
  }
  const { answer } = await requestAsTeam(team, DELETE_ACTIONS, { ids })
  if (answer !== '200') throw new Error(`the actions were not deleted: ${answer}`)
  return ids.length - delivered.length
}

/** @throws Error if the response is neither a GraphQL response nor an error of the developer API */
async function requestAsTeam(team: Team, query: string, variables: object) {
  const response = await post(team, JSON.stringify({ query, variables }))
  if (!response) return { answer: 'broken' }
  const { isOk, status, text } = response
  if (!isOk) return { answer: `${status} ${Refusal.parse(JSON.parse(text)).code}` }
  const { data, errors: [error] = [] } = Answer.parse(JSON.parse(text))
  return { answer: error?.extensions.code ?? '200', data }
}

/** Returns null if the connection ended before the end of the response. */
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
