import type { GraphQLSchema } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { ReadyPlan } from './database/ready.ts'
import { EngineError } from './errors.ts'
import type { Metadata } from './metadata/metadata.ts'
import type { Inconsistency } from './model/inconsistency.ts'
import type { Model } from './model/model.ts'
import type { Operation } from './plan/document/document.ts'
import { type RoleSchema, roleSchema } from './schema/role-schema.ts'
import type { Session } from './session/session.ts'

/** One consistent state of the engine. It is replaced, never changed, and its caches are dropped with it. */
export type SchemaCache = {
  metadata: Metadata
  model: Model
  inconsistencies: readonly Inconsistency[]
  /** The schema and cached operations of a role; built when the role first sends a request. */
  role(session: Pick<Session, 'role' | 'backendOnly'>): RoleCache
}

/** One role's schema and the operations that it has used. */
export type RoleCache = {
  schema: RoleSchema
  /**
   * The schema in graphql-js's form, built when first needed.
   *
   * @throws not-supported if the role may not introspect
   */
  introspection(): Promise<GraphQLSchema>
  /** By operation name and text. */
  operations: LRUCache<string, CachedOperation>
}

/** A parsed operation with its plans: one for each set of decisions that its variables give. */
export type CachedOperation = { operation: Operation; plans: readonly ReadyPlan[] }

/** Wraps a resolved model with empty caches. */
export function buildSchemaCache(model: Model): SchemaCache {
  const roles = {
    any: new LRUCache<string, RoleCache>({ max: MAX_ROLES }),
    backend: new LRUCache<string, RoleCache>({ max: MAX_ROLES }),
  }
  return {
    metadata: model.metadata,
    model,
    inconsistencies: model.inconsistencies,
    role({ role, backendOnly }) {
      const made = backendOnly ? roles.backend : roles.any
      const known = made.get(role)
      if (known) return known
      const fresh = createRoleCache(model, role, backendOnly)
      made.set(role, fresh)
      return fresh
    },
  }
}

/** How many roles, and operations of a role, are cached: sessions may name any role. */
const MAX_ROLES = 500
const MAX_OPERATIONS = 2000

function createRoleCache(model: Model, role: string, backendOnly: boolean): RoleCache {
  const schema = roleSchema(model, role, backendOnly)
  let made: Promise<GraphQLSchema> | null = null
  return {
    schema,
    async introspection() {
      const { disabled_for_roles = [] } = model.metadata.graphql_schema_introspection ?? {}
      if (disabled_for_roles.includes(role))
        throw new EngineError('not-supported', `introspection is disabled for role: "${role}"`)
      made ??= loadIntrospectionSchema(schema)
      return made
    },
    operations: new LRUCache({ max: MAX_OPERATIONS }),
  }
}

/** Loaded only when it is needed, because most of graphql-js serves introspection only. */
async function loadIntrospectionSchema(schema: RoleSchema): Promise<GraphQLSchema> {
  const { introspectable } = await import('./schema/introspection.ts')
  return introspectable(schema)
}
