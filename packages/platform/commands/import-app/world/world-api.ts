import { z } from 'zod'
import { callGraphql, type GraphqlServer, RefusedOperation } from '../call-graphql.ts'

/** The rows of one response. World's service sorts the people of the action for each. */
const PAGE = 5_000
const ACTIONS_PAGE = 500

const FIND_APP = `query($id: String!) {
  app(where: {id: {_eq: $id}}) { id is_staging }
  app_metadata(where: {app: {id: {_eq: $id}}}, order_by: {updated_at: desc}) { name verification_status }
}`
const READ_ACTIONS = `query($app: String!, $after: String!, $page: Int!) {
  action(where: {app_id: {_eq: $app}, id: {_gt: $after}}, order_by: {id: asc}, limit: $page) {
    id action name description max_verifications status external_nullifier
  }
}`
const READ_PEOPLE = `query($action: String!, $after: String!, $page: Int!) {
  nullifier(where: {action_id: {_eq: $action}, id: {_gt: $after}}, order_by: {id: asc}, limit: $page) {
    id nullifier_hash created_at
  }
}`
const READ_PEOPLE_WITH_USES = READ_PEOPLE.replace('created_at', 'created_at uses')
const READ_AT = `query($action: String!, $offset: Int!) {
  nullifier(where: {action_id: {_eq: $action}}, order_by: {id: asc}, offset: $offset, limit: 2) { id }
}`

const App = z.object({ id: z.string(), is_staging: z.boolean() })
const Metadata = z.object({ name: z.string(), verification_status: z.string() })
const Action = z.object({
  id: z.string(),
  action: z.string(),
  name: z.string(),
  description: z.string(),
  max_verifications: z.int(),
  status: z.string(),
  external_nullifier: z.string(),
})
const Person = z.object({
  id: z.string(),
  nullifier_hash: z.string(),
  created_at: z.string(),
  uses: z.int().optional(),
})

const Apps = z.object({ app: z.array(App), app_metadata: z.array(Metadata) })
const Actions = z.object({ action: z.array(Action) })
const People = z.object({ nullifier: z.array(Person) })
const Ids = z.object({ nullifier: z.array(z.object({ id: z.string() })) })

export type WorldAction = z.infer<typeof Action>
export type WorldPerson = z.infer<typeof Person>

/**
 * A client of World's GraphQL API with a team's API key. docs/operations/import.md says what such a key can read. No operation
 * is nested deeper than World allows, and none aggregates.
 */
export class WorldApi {
  readonly #server: GraphqlServer
  // An API key cannot read the uses of a person; another caller may.
  #readsUses = true

  constructor(url: string, apiKey: string) {
    const headers = { authorization: `Bearer ${apiKey}` }
    this.#server = { name: "World's GraphQL API", url, headers }
  }

  /** Finds an app with its name, which is the verified name if World has verified the app. */
  async findApp(
    id: string,
  ): Promise<{ id: string; name: string; is_staging: boolean } | undefined> {
    const { app, app_metadata } = await this.#call(FIND_APP, { id }, Apps)
    const verified = app_metadata.find(
      ({ verification_status }) => verification_status === 'verified',
    )
    const name = (verified ?? app_metadata[0])?.name ?? ''
    return app[0] && { ...app[0], name }
  }

  async readActions(app: string): Promise<WorldAction[]> {
    const actions: WorldAction[] = []
    for (;;) {
      const variables = { app, after: actions.at(-1)?.id ?? '', page: ACTIONS_PAGE }
      const { action } = await this.#call(READ_ACTIONS, variables, Actions)
      actions.push(...action)
      if (action.length < ACTIONS_PAGE) return actions
    }
  }

  /** Reads the next people of an action, in the order of their ids, after an id. */
  async readPeople(action: string, after: string): Promise<WorldPerson[]> {
    const variables = { action, after, page: PAGE }
    if (this.#readsUses)
      try {
        return (await this.#call(READ_PEOPLE_WITH_USES, variables, People)).nullifier
      } catch (fault) {
        if (!(fault instanceof RefusedOperation) || !/["']uses["']/.test(fault.message)) throw fault
        this.#readsUses = false
      }
    return (await this.#call(READ_PEOPLE, variables, People)).nullifier
  }

  /** Counts without an aggregate, which an API key cannot read: looks for the last expected row and for one after it. */
  async hasExactly(action: string, people: number): Promise<boolean> {
    const variables = { action, offset: Math.max(people - 1, 0) }
    const { nullifier } = await this.#call(READ_AT, variables, Ids)
    return nullifier.length === Math.min(people, 1)
  }

  #call<T>(query: string, variables: object, data: z.ZodType<T>): Promise<T> {
    return callGraphql(this.#server, { query, variables, data })
  }
}
