import type { GraphQLSchema } from 'graphql'
import { LRUCache } from 'lru-cache'
import { EngineError } from './errors.ts'
import type { Metadata } from './metadata/metadata.ts'
import type { Inconsistency } from './model/inconsistency.ts'
import type { Model } from './model/model.ts'
import type { Operation } from './plan/document.ts'
import type { ReadyPlan } from './ready.ts'
import { type RoleSchema, roleSchema } from './schema/role-schema.ts'
import type { Session } from './session/session.ts'

/** One consistent state of the engine; never changed, only replaced: its caches live and die with it. */
export type Snapshot = {
  metadata: Metadata
  model: Model
  inconsistencies: readonly Inconsistency[]
  /** What the caller may say; built when a role first asks. */
  role(session: Pick<Session, 'role' | 'backendOnly'>): Role
}

/** One role's schema and the operations that it has used. */
export type Role = {
  schema: RoleSchema
  /** The schema as graphql-js has it; built when first introspected. @throws not-supported where that is disabled */
  introspection(): Promise<GraphQLSchema>
  /** By operation name and text. */
  operations: LRUCache<string, CachedOperation>
}

/** A parsed operation with the plans made for it: one per shape of what its variables decide. */
export type CachedOperation = { operation: Operation; plans: readonly ReadyPlan[] }

/** Wraps a resolved model with empty caches. */
export function takeSnapshot(model: Model): Snapshot {
  const roles = {
    any: new LRUCache<string, Role>({ max: MAX_ROLES }),
    backend: new LRUCache<string, Role>({ max: MAX_ROLES }),
  }
  return {
    metadata: model.metadata,
    model,
    inconsistencies: model.inconsistencies,
    role({ role, backendOnly }) {
      const made = backendOnly ? roles.backend : roles.any
      const known = made.get(role)
      if (known) return known
      const fresh = newRole(model, role, backendOnly)
      made.set(role, fresh)
      return fresh
    },
  }
}

/** A session may name any role; only so many are remembered. */
const MAX_ROLES = 500
const MAX_OPERATIONS = 2000

function newRole(model: Model, role: string, backendOnly: boolean): Role {
  const schema = roleSchema(model, role, backendOnly)
  let made: Promise<GraphQLSchema> | null = null
  return {
    schema,
    async introspection() {
      const { disabled_for_roles = [] } = model.metadata.graphql_schema_introspection ?? {}
      if (disabled_for_roles.includes(role))
        throw new EngineError('not-supported', `introspection is disabled for role: "${role}"`)
      made ??= introspectable(schema)
      return made
    },
    operations: new LRUCache({ max: MAX_OPERATIONS }),
  }
}

/** Loaded when somebody asks: most of graphql-js is for this only. */
async function introspectable(schema: RoleSchema): Promise<GraphQLSchema> {
  const { introspectable } = await import('./schema/introspection.ts')
  return introspectable(schema)
}
