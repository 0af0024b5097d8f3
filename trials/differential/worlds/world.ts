import { z } from 'zod'

/** A database, and how a Hasura serves it. */
export const World = z.object({
  name: z.string(),
  /** In this order; a text may have several statements. */
  sql: z.array(z.string()),
  /** Metadata of version 3 with one source, `default`. */
  metadata: z.record(z.string(), z.unknown()),
  /** Settings of the server. */
  env: z.record(z.string(), z.string()).default({}),
  /** Where it is asked, if not at `/v1/graphql`. */
  path: z.string().default('/v1/graphql'),
})
export type World = z.infer<typeof World>

/** Who asks in a generated world: a name for messages, and headers. */
export type Caller = { name: string; headers: Record<string, string> }

/** A generated world, with what operations need to know of it. */
export type RandomWorld = World & {
  callers: readonly Caller[]
  /** The columns that together are unique in a table, by the GraphQL name of its rows. */
  keys: Readonly<Record<string, readonly string[]>>
  /** Values that occur in the rows, by the name of their GraphQL scalar. */
  values: Readonly<Record<string, readonly unknown[]>>
}
