import type { Project } from './project.ts'
import { teamRowId } from './team-rows.ts'

/** Who may ask for the rows of the team `mine`, as Hasura knows them. */
export const CALLERS = {
  owner: { 'x-hasura-role': 'user', 'x-hasura-user-id': teamRowId('mine', 'usr', 1) },
  admin: { 'x-hasura-role': 'user', 'x-hasura-user-id': teamRowId('mine', 'usr', 2) },
  member: { 'x-hasura-role': 'user', 'x-hasura-user-id': teamRowId('mine', 'usr', 3) },
  key: { 'x-hasura-role': 'api_key', 'x-hasura-team-id': teamRowId('mine', 'team') },
  reviewer: { 'x-hasura-role': 'reviewer' },
}

/** The number of rows that a mutation changed, or the code of its refusal; `absent` is a field that the role's schema lacks. */
export async function changeAs(
  project: Project,
  caller: Record<string, string>,
  mutation: string,
): Promise<unknown> {
  const { body } = await project.graphql(`mutation { ${mutation} { affected_rows } }`, {}, caller)
  const { data, errors } = Object(body)
  if (data) return Object.values<{ affected_rows: number }>(data)[0]?.affected_rows
  const { code } = errors[0].extensions
  return code === 'validation-failed' ? 'absent' : code
}
