import { teamRowId } from './team-rows.ts'

/** The Hasura sessions of the callers that may request the rows of the team `mine`. */
export const CALLERS = {
  owner: { 'x-hasura-role': 'user', 'x-hasura-user-id': teamRowId('mine', 'usr', 1) },
  admin: { 'x-hasura-role': 'user', 'x-hasura-user-id': teamRowId('mine', 'usr', 2) },
  member: { 'x-hasura-role': 'user', 'x-hasura-user-id': teamRowId('mine', 'usr', 3) },
  key: { 'x-hasura-role': 'api_key', 'x-hasura-team-id': teamRowId('mine', 'team') },
  reviewer: { 'x-hasura-role': 'reviewer' },
}
