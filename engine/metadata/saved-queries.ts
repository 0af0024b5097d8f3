import { z } from 'zod'
import { Comment } from './shared.ts'

/** Documents with names. */
export const QueryCollection = z.object({
  name: z.string(),
  comment: Comment,
  definition: z.object({ queries: z.array(z.object({ name: z.string(), query: z.string() })) }),
})

/** A collection whose documents are allowed. */
export const AllowListEntry = z.object({
  collection: z.string(),
  scope: z
    .object({ global: z.boolean(), roles: z.array(z.string()).nonempty().nullish() })
    .refine(({ global, roles }) => !(global && roles), 'roles are not allowed when global is true')
    .refine(({ global, roles }) => global || roles, 'key "roles" not found')
    .refine(({ roles }) => new Set(roles).size === (roles ?? []).length, {
      error: 'duplicate roles are not allowed',
    })
    .default({ global: true }),
})

/** A document that is asked by a path. */
export const RestEndpoint = z.object({
  name: z.string(),
  url: z.string().min(1, 'empty string not allowed'),
  methods: z.array(z.string()),
  definition: z.object({
    query: z.object({ collection_name: z.string(), query_name: z.string() }),
  }),
  comment: Comment,
})
