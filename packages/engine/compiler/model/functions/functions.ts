import type { FunctionMetadata } from '../../../metadata/functions.ts'
import { type Catalog, type CatalogFunction, catalogKey } from '../../../postgres/catalog.ts'
import {
  type InconsistencyReport,
  Inconsistent,
  inconsistentWithoutPlace,
  refuseForReasons,
} from '../inconsistency.ts'
import type { FunctionArgument, ModelSettings, TrackedFunction } from '../model.ts'
import type { Naming } from '../naming.ts'
import { CHANGING_ROOTS, namesInRoots, READING_ROOTS, type RootNames } from '../root-names.ts'
import { isGraphQLName, type UnfinishedSource } from '../tables/tables.ts'

export type FunctionsInput = {
  source: UnfinishedSource
  tracked: readonly FunctionMetadata[]
  catalog: Catalog
  settings: ModelSettings
  inheritedRoles: ReadonlyMap<string, readonly string[]>
  names: RootNames
  errors: InconsistencyReport
}

export function resolveFunctions(input: FunctionsInput): TrackedFunction[] {
  return input.tracked.flatMap((metadata) => {
    const key = catalogKey(metadata.function)
    const subject = {
      type: 'function',
      name: `function ${key} in source ${input.source.name}`,
      source: input.source.name,
      prefix: `in function "${key}"`,
      definition: metadata.function,
    }
    const resolvedFunction = input.errors.attempt(subject, () => {
      const trackedFunction = resolveFunction(metadata, input)
      const rootNames =
        trackedFunction.exposedAs === 'query'
          ? namesInRoots(READING_ROOTS, [trackedFunction.field, trackedFunction.aggregateField])
          : namesInRoots(CHANGING_ROOTS, [trackedFunction.field])
      input.names.reserve(subject.name, rootNames)
      return trackedFunction
    })
    return resolvedFunction ?? []
  })
}

function resolveFunction(
  metadata: FunctionMetadata,
  { source: { tables, naming }, catalog, inheritedRoles }: FunctionsInput,
): TrackedFunction {
  const { configuration } = metadata
  const key = catalogKey(metadata.function)
  const catalogFunction = findFunction(catalog, metadata.function)
  const exposedAs =
    configuration.exposed_as ?? (catalogFunction.volatility === 'v' ? 'mutation' : 'query')
  refuseForReasons(
    `the function "${key}" cannot be tracked`,
    reasonsAgainstTracking(catalogFunction, metadata, catalog),
  )
  const table = [...tables.values()].find(
    ({ catalog }) => catalog.oid === catalogFunction.returnTable,
  )
  if (!table)
    throw inconsistentWithoutPlace(
      `table "${catalogKey(catalogFunction.returnType)}" is not tracked`,
    )
  return {
    schema: catalogFunction.schema,
    name: catalogFunction.name,
    ...functionNames(metadata, naming),
    comment: metadata.comment ?? catalogFunction.comment,
    exposedAs,
    args: functionArguments(catalogFunction, {
      session: configuration.session_argument ?? null,
      tableArgument: null,
    }),
    table,
    returnsSet: catalogFunction.returnsSet,
    roles: withInheritingRoles(
      metadata.permissions.map(({ role }) => role),
      inheritedRoles,
    ),
  }
}

/** Returns the names of a function's root fields, and of the type of its arguments. */
function functionNames({ function: name, configuration }: FunctionMetadata, naming: Naming) {
  const { custom_name: custom, custom_root_fields: roots } = configuration
  const base = catalogKey(name).replaceAll('.', '_')
  const aggregate = custom == null ? naming.field(`${base}_aggregate`) : `${custom}_aggregate`
  return {
    field: naming.rootField(roots.function ?? custom ?? naming.field(base)),
    aggregateField: naming.rootField(roots.function_aggregate ?? aggregate),
    // The type is named like a field, as in Hasura.
    argsType: naming.sourceType(naming.field(`${custom ?? base}_args`)),
  }
}

/** Returns all reasons why a function cannot be a root field. */
function reasonsAgainstTracking(
  catalogFunction: CatalogFunction,
  { function: name, configuration }: FunctionMetadata,
  catalog: Catalog,
): string[] {
  const { custom_name, custom_root_fields, session_argument: session } = configuration
  const field = custom_root_fields.function ?? custom_name ?? catalogKey(name).replaceAll('.', '_')
  const unnamable = catalogFunction.args.filter(({ name }) => name !== '' && !isGraphQLName(name))
  const argument = catalogFunction.args.find(({ name }) => name === session)
  const isTable = [...catalog.tables.values()].some(
    ({ oid }) => oid === catalogFunction.returnTable,
  )
  const checks: [wrong: boolean, why: string][] = [
    [!isGraphQLName(field), 'function name is not a legal GraphQL identifier'],
    [catalogFunction.variadic, 'function with "VARIADIC" parameters are not supported'],
    [catalogFunction.returnType.kind !== 'c', 'the function does not return a "COMPOSITE" type'],
    [!isTable, 'the function does not return a table'],
    [
      configuration.exposed_as === 'mutation' && catalogFunction.volatility !== 'v',
      'the function was requested to be exposed as a mutation, but is not marked VOLATILE. Maybe the function was given the wrong volatility when it was defined?',
    ],
    [
      unnamable.length > 0,
      `the function arguments ${unnamable.map(({ name }) => name).join(',')} are not in compliance with GraphQL spec`,
    ],
    [
      session != null && !argument,
      `given session argument "${session}" not the input argument of the function`,
    ],
    [
      session != null && argument !== undefined && argument.type.name !== 'json',
      `given session argument "${session}" is not of type json`,
    ],
  ]
  return checks.flatMap(([isWrong, reason]) => (isWrong ? [reason] : []))
}

/** Returns the roles and all roles that inherit from them. */
export function withInheritingRoles(
  roles: readonly string[],
  inheritedRoles: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const all = new Set(roles)
  // Parents come before the roles that inherit from them, so indirect heirs are found too.
  for (const [heir, parents] of inheritedRoles)
    if (parents.some((parent) => all.has(parent))) all.add(heir)
  return all
}

/** Returns the function with a name. @throws Inconsistent if the function does not exist or is overloaded */
export function findFunction(
  catalog: Catalog,
  name: { schema: string; name: string },
): CatalogFunction {
  const key = catalogKey(name)
  const [catalogFunction, second] = catalog.functions.get(key) ?? []
  if (!catalogFunction) throw new Inconsistent(`no such function exists: "${key}"`)
  if (second)
    throw new Inconsistent(
      `function "${key}" is overloaded. Overloaded functions are not supported`,
    )
  return catalogFunction
}

/**
 * Returns a function's arguments, each with its kind. Unnamed arguments that the caller passes get the GraphQL names
 * `arg_1`, `arg_2`, and so on.
 */
export function functionArguments(
  { args, defaults }: CatalogFunction,
  { session, tableArgument }: { session: string | null; tableArgument: number | null },
): FunctionArgument[] {
  let unnamedCount = 0
  return args.map(({ name, type }, position) => {
    const kind = argumentKind(position === tableArgument, session !== null && name === session)
    if (kind === 'caller' && name === '') unnamedCount += 1
    return {
      field: name === '' ? `arg_${unnamedCount}` : name,
      name: name === '' ? null : name,
      // The caller passes an array as text in PostgreSQL's notation, as in Hasura.
      type: { ...type, element: null },
      isOptional: position >= args.length - defaults,
      kind,
    }
  })
}

function argumentKind(isTable: boolean, isSession: boolean): FunctionArgument['kind'] {
  if (isTable) return 'table'
  return isSession ? 'session' : 'caller'
}
