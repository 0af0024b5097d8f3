import { parse } from 'graphql/language/index.js'
import { z } from 'zod'
import { Comment, MetadataName } from './primitives.ts'

/** The text of a GraphQL document. */
export const SavedQuery = z
  .string()
  .refine(isGraphQLDocument, { error: () => 'parsing the graphql query failed' })

function isGraphQLDocument(text: string): boolean {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}

/** A collection of named documents. */
export const QueryCollection = z.strictObject({
  name: MetadataName,
  comment: Comment,
  definition: z.strictObject({
    queries: z.array(z.strictObject({ name: MetadataName, query: SavedQuery })),
  }),
})

/** An entry of the allow list: a collection with documents that all roles, or only the listed roles, may run. */
export const AllowListEntry = z.strictObject({
  collection: MetadataName,
  scope: z
    .strictObject({ global: z.boolean(), roles: z.array(z.string()).nonempty().nullish() })
    .refine(({ global, roles }) => !(global && roles), 'roles are not allowed when global is true')
    .refine(({ global, roles }) => global || roles, 'key "roles" not found')
    .refine(({ roles }) => new Set(roles).size === (roles ?? []).length, {
      error: 'duplicate roles are not allowed',
    })
    .default({ global: true }),
})

/** A REST endpoint: a saved document with a path. */
export const RestEndpoint = z.strictObject({
  name: MetadataName,
  url: MetadataName,
  methods: z.array(z.enum(['GET', 'POST', 'PUT', 'DELETE', 'PATCH'])).nonempty(),
  definition: z.strictObject({
    query: z.strictObject({ collection_name: z.string(), query_name: z.string() }),
  }),
  comment: Comment,
})
