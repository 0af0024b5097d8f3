import { type Catalog, type CatalogFunction, keyOf } from '../catalog.ts'
import type { FunctionMetadata, SourceMetadata } from '../metadata/metadata.ts'
import { Inconsistent, type Report } from './inconsistency.ts'
import type { FunctionArgument, ModelSettings, TrackedFunction } from './model.ts'
import { CHANGING, inRoots, READING, type RootNames } from './root-names.ts'
import { isGraphQLName, type OpenTables } from './tables.ts'

export type FunctionsInput = {
  source: SourceMetadata | undefined
  catalog: Catalog
  tables: OpenTables
  settings: ModelSettings
  inheritedRoles: ReadonlyMap<string, readonly string[]>
  names: RootNames
  errors: Report
}

/** Resolves the functions that are root fields of their own. */
export function resolveFunctions(input: FunctionsInput): TrackedFunction[] {
  return (input.source?.functions ?? []).flatMap((metadata) => {
    const key = keyOf(metadata.function)
    const subject = {
      type: 'function',
      name: `function ${key} in source default`,
      definition: metadata.function,
    }
    const resolved = input.errors.attempt(subject, () => {
      const found = resolve(metadata, input)
      const roots = found.exposedAs === 'query' ? READING : CHANGING
      input.names.claim(subject.name, inRoots(roots, [found.field, found.aggregateField]))
      return found
    })
    return resolved ?? []
  })
}

function resolve(
  metadata: FunctionMetadata,
  { catalog, tables, inheritedRoles }: FunctionsInput,
): TrackedFunction {
  const { configuration } = metadata
  const key = keyOf(metadata.function)
  const refuse = (why: string) =>
    new Inconsistent(`in function "${key}": the function "${key}" cannot be tracked because ${why}`)
  const found = theFunction(catalog, metadata.function)
  const field =
    configuration.custom_root_fields.function ??
    configuration.custom_name ??
    key.replaceAll('.', '_')
  if (!isGraphQLName(field)) throw refuse('its name is not a valid name in GraphQL')
  if (found.variadic) throw refuse('the function is variadic')
  const table = [...tables.values()].find(({ catalog }) => catalog.oid === found.returnTable)
  if (!table) throw refuse('the function does not return a row, or rows, of a tracked table')
  const exposedAs = configuration.exposed_as ?? (found.volatility === 'v' ? 'mutation' : 'query')
  if (exposedAs === 'mutation' && found.volatility !== 'v')
    throw refuse(
      'the function was requested to be exposed as a mutation, but is not marked VOLATILE. Maybe the function was given the wrong volatility when it was defined?',
    )
  const base = configuration.custom_name ?? key.replaceAll('.', '_')
  return {
    schema: found.schema,
    name: found.name,
    field,
    aggregateField: configuration.custom_root_fields.function_aggregate ?? `${base}_aggregate`,
    comment: metadata.comment ?? found.comment,
    exposedAs,
    args: argumentsOf(found, {
      session: configuration.session_argument ?? null,
      tableArgument: null,
    }),
    table,
    set: found.returnsSet,
    roles: withHeirs(
      metadata.permissions.map(({ role }) => role),
      inheritedRoles,
    ),
  }
}

/** The roles that have something, and the inherited roles that have it from them. */
export function withHeirs(
  roles: readonly string[],
  inheritedRoles: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const all = new Set(roles)
  // Parents come before their heirs.
  for (const [heir, parents] of inheritedRoles)
    if (parents.some((parent) => all.has(parent))) all.add(heir)
  return all
}

/** The one function of that name: an overloaded name has no answer. */
export function theFunction(
  catalog: Catalog,
  name: { schema: string; name: string },
): CatalogFunction {
  const key = keyOf(name)
  const [found, second] = catalog.functions.get(key) ?? []
  if (!found) throw new Inconsistent(`in function "${key}": no such function exists: "${key}"`)
  if (second)
    throw new Inconsistent(
      `in function "${key}": the function "${key}" is overloaded. Overloaded functions are not supported`,
    )
  return found
}

/** A function's arguments with what each is for; nameless ones become `arg_1`… in GraphQL. */
export function argumentsOf(
  { args, defaults }: CatalogFunction,
  { session, tableArgument }: { session: string | null; tableArgument: number | null },
): FunctionArgument[] {
  if (
    session !== null &&
    !args.some(({ name, type }) => name === session && JSON_TYPES.includes(type.name))
  )
    throw new Inconsistent(`the session argument "${session}" must be an argument of type JSON`)
  return args.map(({ name, type }, position) => ({
    field: name === '' ? `arg_${position + 1}` : name,
    name: name === '' ? null : name,
    type,
    optional: position >= args.length - defaults,
    is: kindOf(position === tableArgument, session !== null && name === session),
  }))
}

const JSON_TYPES = ['json', 'jsonb']

function kindOf(isTable: boolean, isSession: boolean): FunctionArgument['is'] {
  if (isTable) return 'table'
  return isSession ? 'session' : 'given'
}
