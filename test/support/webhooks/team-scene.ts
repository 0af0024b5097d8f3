import { beforeEach } from 'vitest'
import { type Person, peopleOf } from './people.ts'
import { test } from './platform-test.ts'
import type { TestPlatform } from './start-platform.ts'

/** The shared platform. Its engine calls the handlers of actions. */
export let platform: TestPlatform
/** Signs a person up. */
export let person: ReturnType<typeof peopleOf>
/** The owner of a new team, for each test. */
export let owner: Person
/** A person outside the owner's team. */
export let stranger: Person

/** Sets `platform` and `person` before the tests of the calling file, and a new `owner` and `stranger` before each test. */
export function setTheScene(): void {
  test.beforeAll(({ platformWithActions: shared }) => {
    platform = shared
    person = peopleOf(platform)
  })
  beforeEach(async () => {
    owner = await person()
    stranger = await person()
  })
}

/** Makes a person a member of a team. */
export async function join({ id }: Person, team: string, role: string) {
  const insert = 'insert into membership (user_id, team_id, role) values ($1, $2, $3)'
  await platform.db.query(insert, [id, team, role])
}

/** Inserts an app of a team. */
export async function makeApp(team: string) {
  return platform.app({ team: { id: team, apiKey: '', keyId: '' } })
}

/** Calls create_api_key for a team. */
export async function createKey(caller: Person, team: string) {
  const query =
    'mutation ($team: String!) { create_api_key(team_id: $team, name: "Key") { id api_key } }'
  return caller.graphql(query, { team })
}

/** Creates an API key of the owner's team. */
export async function makeKey() {
  return (await createKey(owner, owner.team)).data.create_api_key
}

/** Lists the teams that a key can see: its own team, while the key works. */
export async function teamsOf(apiKey: string) {
  const headers = { authorization: `Bearer ${apiKey}` }
  return (await platform.post('/v1/graphql', { query: '{ team { id } }' }, headers)).body
}

/** Returns the session that Hasura has for a team's API key. */
export function keySession({ id, keyId }: { id: string; keyId: string }) {
  return { 'x-hasura-role': 'api_key', 'x-hasura-team-id': id, 'x-hasura-api-key-id': keyId }
}

/** Returns the code of a GraphQL error. */
export function codeOf(answer: { errors?: [{ extensions: { code: string } }] }) {
  return answer.errors?.[0].extensions.code
}
