import { requireClient } from './client-packages.ts'
import type { Shop } from './shop.ts'

type Row = Record<string, unknown>
/** Selected fields, or custom documents. */
type Meta = { fields?: unknown[]; gqlQuery?: object; gqlMutation?: object; gqlVariables?: object }
type OfRow = { resource: string; id: unknown; meta?: Meta }
type OfRows = { resource: string; ids: unknown[]; meta?: Meta }

/** A condition on a field, or a combination of conditions. */
export type RefineFilter = { field?: string; operator: string; value: unknown }

/** The parameters of a list. */
export type RefineList = {
  resource: string
  sorters?: { field: string; order: string }[]
  filters?: RefineFilter[]
  pagination?: { currentPage?: number; pageSize?: number; mode?: string }
  meta: Meta
}

/** The data provider of refine: the methods that its pages call. */
export type RefineProvider = {
  getList(params: RefineList): Promise<{ data: Row[]; total: number }>
  getOne(params: OfRow): Promise<{ data: Row | null }>
  getMany(params: OfRows): Promise<{ data: Row[] }>
  create(params: { resource: string; variables: Row; meta?: Meta }): Promise<{ data: Row }>
  createMany(params: { resource: string; variables: Row[]; meta?: Meta }): Promise<{ data: Row[] }>
  update(params: OfRow & { variables: Row }): Promise<{ data: Row | null }>
  updateMany(params: OfRows & { variables: Row }): Promise<{ data: Row[] }>
  deleteOne(params: OfRow): Promise<{ data: Row | null }>
  deleteMany(params: OfRows): Promise<{ data: Row[] }>
}

/** The provider of refine for subscriptions. */
export type RefineLiveProvider = {
  /** Calls back with the rows, now and at each change. @returns a function that ends the subscription */
  subscribe(subscription: {
    callback(rows: unknown): void
    params: Partial<RefineList> & { subscriptionType: string; id?: unknown; ids?: unknown[] }
  }): () => void
  unsubscribe(subscription: () => void): void
}

type Options = { idType?(resource: string): string; namingConvention?: string }

const idType = (resource: string) => (resource === 'product' ? 'Int' : 'uuid')

/** Creates a data provider of @refinedev/hasura with these headers. */
export function refineProvider(
  shop: Shop,
  headers: Record<string, string>,
  options: Options = {},
): RefineProvider {
  const { default: dataProvider, GraphQLClient } = requireClient('@refinedev/hasura')
  return dataProvider(new GraphQLClient(shop.url, { headers }), { idType, ...options })
}

/** Creates a live provider of @refinedev/hasura with its own connection, which `close` ends. */
export function refineLiveProvider(
  shop: Shop,
  headers: Record<string, string>,
): { live: RefineLiveProvider; close(): void } {
  const { liveProvider, graphqlWS } = requireClient('@refinedev/hasura')
  const client = graphqlWS.createClient({ url: shop.socketUrl, connectionParams: { headers } })
  return { live: liveProvider(client, { idType }), close: () => client.dispose() }
}

/** Parses a GraphQL document as pages of refine do. */
export function refineDocument(text: string): object {
  return requireClient('graphql-tag').gql(text)
}
