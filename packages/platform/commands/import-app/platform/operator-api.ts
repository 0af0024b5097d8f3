import { z } from 'zod'
import { requireValue } from '../../../../../lib/runtime/require-value.ts'
import { callGraphql, type GraphqlServer } from '../call-graphql.ts'
import type { CheckedAction } from '../file/file-check.ts'
import type { AppLine } from '../file/file-lines.ts'

const FIND_APP =
  'query($id: String!) { app(where: {id: {_eq: $id}}) { id is_staging team { id } } }'
const CREATE_APP = `mutation($id: String!, $team: String!, $name: String!, $staging: Boolean!) {
  create_app_with_id(args: {app_id: $id, team_id: $team, name: $name, is_staging: $staging}) { id }
}`
const IMPORT = 'action_id people uses people_above_limit finished_at'
const START_IMPORT = `mutation($app: String!, $id: String, $action: String!, $name: String!,
  $description: String!, $max_verifications: Int!, $status: String!, $protocol: String!,
  $source: String!, $people: bigint!, $uses: bigint!) {
  start_import(args: {app_id: $app, action_id: $id, action: $action, name: $name, description: $description,
    max_verifications: $max_verifications, status: $status, protocol: $protocol,
    source: $source, people: $people, uses: $uses}) { ${IMPORT} }
}`
const IMPORT_PEOPLE = `mutation($action: String!, $people: jsonb!) {
  import_people(args: {action_id: $action, people: $people}) { ${IMPORT} }
}`
const FINISH_IMPORT = `mutation($action: String!, $people: bigint!, $uses: bigint!) {
  finish_import(args: {action_id: $action, people: $people, uses: $uses}) { ${IMPORT} }
}`

const App = z.object({
  id: z.string(),
  is_staging: z.boolean(),
  team: z.object({ id: z.string() }),
})

/** Hasura returns large integers as text or as numbers, by its settings. */
const Total = z.union([z.string(), z.number()]).transform(Number)
const Import = z.object({
  action_id: z.string(),
  people: Total,
  uses: Total,
  people_above_limit: Total,
  finished_at: z.string().nullable(),
})

export type Import = z.infer<typeof Import>
export type ImportedPerson = { nullifier_hash: string; uses: number; created_at: string | null }
export type OperatorApi = ReturnType<typeof createOperatorApi>

/** Creates a client of the platform's GraphQL API with the role `reviewer`. */
export function createOperatorApi(url: string, adminSecret: string) {
  const server: GraphqlServer = {
    name: "The platform's GraphQL API",
    url,
    headers: { 'x-hasura-admin-secret': adminSecret, 'x-hasura-role': 'reviewer' },
  }
  const callImport = async (field: string, query: string, variables: object) => {
    const data = z.object({ [field]: z.array(Import) })
    const answer = await callGraphql(server, { query, variables, data })
    return requireValue(answer[field]?.[0], 'the import')
  }
  return {
    async findApp(id: string) {
      const data = z.object({ app: z.array(App) })
      const { app } = await callGraphql(server, { query: FIND_APP, variables: { id }, data })
      return app[0]
    },
    /** Creates an app. If the first response is lost, the retry is refused, because the app then exists. */
    async createApp({ id, name, is_staging }: AppLine, team: string) {
      const variables = { id, team, name, staging: is_staging }
      await callGraphql(server, { query: CREATE_APP, variables, data: z.unknown() })
    },
    startImport(app: string, { line, people, uses }: CheckedAction, source: string) {
      const { external_nullifier: _, type: __, ...action } = line
      const variables = { app, ...action, source, people, uses }
      return callImport('start_import', START_IMPORT, variables)
    },
    importPeople: (action: string, people: readonly ImportedPerson[]) =>
      callImport('import_people', IMPORT_PEOPLE, { action, people }),
    finishImport: (action: string, people: number, uses: number) =>
      callImport('finish_import', FINISH_IMPORT, { action, people, uses }),
  }
}
