import { requireClient } from './client-packages.ts'

export type Row = Record<string, unknown>
export type ListParameters = { pagination: object; sort: object; filter: object }

/** The data provider of react-admin: the methods that its pages call. */
export type ReactAdminProvider = {
  getList(resource: string, params: ListParameters): Promise<{ data: Row[]; total: number }>
  getOne(resource: string, params: { id: unknown }): Promise<{ data: Row }>
  getMany(resource: string, params: { ids: unknown[] }): Promise<{ data: Row[] }>
  getManyReference(
    resource: string,
    params: ListParameters & { target: string; id: unknown },
  ): Promise<{ data: Row[]; total: number }>
  create(resource: string, params: { data: Row }): Promise<{ data: Row }>
  update(
    resource: string,
    params: { id: unknown; data: Row; previousData: Row },
  ): Promise<{ data: Row }>
  updateMany(resource: string, params: { ids: unknown[]; data: Row }): Promise<{ data: unknown[] }>
  delete(resource: string, params: { id: unknown }): Promise<{ data: Row }>
  deleteMany(resource: string, params: { ids: unknown[] }): Promise<{ data: unknown[] }>
}

/** Creates a provider of ra-data-hasura with these headers. It introspects the schema before its first request. */
export async function reactAdminProvider(
  uri: string,
  headers: Record<string, string>,
): Promise<ReactAdminProvider> {
  const { default: build } = requireClient('ra-data-hasura')
  return build({ clientOptions: { uri, headers } })
}

/** The parameters of a list: the first 100 rows by id, unless `params` overrides them. */
export function listParameters(params: Partial<ListParameters> = {}): ListParameters {
  const all = { page: 1, perPage: 100 }
  return { pagination: all, sort: { field: 'id', order: 'ASC' }, filter: {}, ...params }
}

/** Returns the ids of the rows from a provider. */
export async function idsOf(rows: Promise<{ data: Row[] }>): Promise<unknown[]> {
  return (await rows).data.map(({ id }) => id)
}
