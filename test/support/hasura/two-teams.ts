import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery } from 'graphql'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import type { KnownRows } from './every-query.ts'
import { type Project, serveProject } from './project.ts'
import { makeTeam, readTeamRows, teamRowId } from './team-rows.ts'

const user = (n: number) => ({
  'x-hasura-role': 'user',
  'x-hasura-user-id': teamRowId('mine', 'usr', n),
})

/** The callers that must not see the other team. */
export const CALLERS: Record<string, Record<string, string>> = {
  'an owner': user(1),
  'an admin': user(2),
  'a member': user(3),
  'a person of no team': { 'x-hasura-role': 'user', 'x-hasura-user-id': 'usr_of_nobody' },
  'a person who is not verified': { ...user(1), 'x-hasura-role': 'unverified_user' },
  'an API key': { 'x-hasura-role': 'api_key', 'x-hasura-team-id': teamRowId('mine', 'team') },
}

/** The roles that see all teams: the services and the operator. */
const TRUSTED = ['reviewer', 'service']

/** The project with two teams, `mine` and `theirs`, and the GraphQL schema of each role. */
export type TwoTeams = {
  project: Project
  /** The schemas by role. */
  schemas: ReadonlyMap<string, GraphQLSchema>
  schemaFor(role: string | undefined): GraphQLSchema
  ownRows: KnownRows
  otherRows: KnownRows
}

export async function serveTwoTeams(): Promise<TwoTeams> {
  const project = await serveProject()
  await makeTeam(project, 'mine')
  await makeTeam(project, 'theirs')
  const schemas = new Map<string, GraphQLSchema>()
  for (const role of [...CALLER_ROLES, ...TRUSTED]) schemas.set(role, await schemaOf(project, role))
  return {
    project,
    schemas,
    schemaFor: (role = '') => requireValue(schemas.get(role), `a schema of ${role}`),
    ownRows: await readTeamRows(project, 'mine'),
    otherRows: await readTeamRows(project, 'theirs'),
  }
}

/** The distinct roles of the callers. */
export const CALLER_ROLES: readonly string[] = [
  ...new Set(Object.values(CALLERS).map((session) => session['x-hasura-role'] ?? '')),
]

async function schemaOf(project: Project, role: string): Promise<GraphQLSchema> {
  const { body } = await project.graphql(getIntrospectionQuery(), {}, { 'x-hasura-role': role })
  return buildClientSchema(Object(body).data)
}
