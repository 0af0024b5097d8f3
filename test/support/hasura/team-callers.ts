import { teamRowId } from './team-rows.ts'

/** Who may ask for the rows of the team `mine`, as Hasura knows them. */
export const CALLERS = {
  owner: { 'x-hasura-role': 'user', 'x-hasura-user-id': teamRowId('mine', 'usr', 1) },
  admin: { 'x-hasura-role': 'user', 'x-hasura-user-id': teamRowId('mine', 'usr', 2) },
  member: { 'x-hasura-role': 'user', 'x-hasura-user-id': teamRowId('mine', 'usr', 3) },
  key: { 'x-hasura-role': 'api_key', 'x-hasura-team-id': teamRowId('mine', 'team') },
  reviewer: { 'x-hasura-role': 'reviewer' },
}
