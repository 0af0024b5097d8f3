import { z } from 'zod'

/** A database, with the metadata and settings of its server. */
export const World = z.object({
  name: z.string(),
  /** SQL texts in their order. A text may have several statements. */
  sql: z.array(z.string()),
  /** Metadata of version 3 with one source, `default`. */
  metadata: z.record(z.string(), z.unknown()),
  /** Settings of the server. */
  env: z.record(z.string(), z.string()).default({}),
  /** The path of the requests. */
  path: z.string().default('/v1/graphql'),
})
export type World = z.infer<typeof World>

/** A caller in a random world: a name for messages, and headers. */
export type Caller = { name: string; headers: Record<string, string> }

/** A random world with its callers, keys and values. */
export type RandomWorld = World & {
  callers: readonly Caller[]
  /** The key columns of each table, by the GraphQL type of its rows. */
  keys: Readonly<Record<string, readonly string[]>>
  /** The values of the rows by GraphQL scalar. */
  values: Readonly<Record<string, readonly unknown[]>>
}
