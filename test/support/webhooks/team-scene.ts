import { beforeEach } from 'vitest'
import { type Person, peopleOf } from './people.ts'
import { test } from './platform-test.ts'
import type { TestPlatform } from './start-platform.ts'

/** The platform that files share whose people call actions. */
export let platform: TestPlatform
/** Signs somebody up. */
export let person: ReturnType<typeof peopleOf>
/** Of a team that each test has anew. */
export let owner: Person
/** Is in no team of the owner's, unless a test lets them join. */
export let stranger: Person

/** Sets the scene before each test of the file that calls this. */
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

/** Makes somebody a member of a team. */
export async function join({ id }: Person, team: string, role: string) {
  const insert = 'insert into membership (user_id, team_id, role) values ($1, $2, $3)'
  await platform.db.query(insert, [id, team, role])
}

/** An app of a team. */
export async function makeApp(team: string) {
  return platform.app({ team: { id: team, apiKey: '', keyId: '' } })
}

/** An API key of a team, if the caller may make it. */
export async function createKey(caller: Person, team: string) {
  const query =
    'mutation ($team: String!) { create_api_key(team_id: $team, name: "Key") { id api_key } }'
  return caller.graphql(query, { team })
}

/** One that the owner makes. */
export async function makeKey() {
  return (await createKey(owner, owner.team)).data.create_api_key
}

/** What a key says which teams there are: its own, while it works. */
export async function teamsOf(apiKey: string) {
  const headers = { authorization: `Bearer ${apiKey}` }
  return (await platform.post('/v1/graphql', { query: '{ team { id } }' }, headers)).body
}

/** The session that Hasura has for a team's API key. */
export function keySession({ id, keyId }: { id: string; keyId: string }) {
  return { 'x-hasura-role': 'api_key', 'x-hasura-team-id': id, 'x-hasura-api-key-id': keyId }
}

/** Why GraphQL refuses. */
export function codeOf(answer: { errors?: [{ extensions: { code: string } }] }) {
  return answer.errors?.[0].extensions.code
}
