import { EngineError, type ErrorCode } from '../../errors.ts'
import { ownValue } from '../../json/own-value.ts'
import { shortKey } from '../../postgres/catalog.ts'
import type { Place } from './node.ts'

/** The fault of a command on an entry: the entry already exists, is missing, or is missing and should be dropped (`gone`). */
export type EntryFault = 'exists' | 'missing' | 'gone'

/** Creates Hasura's error about an entry of a list. */
export function entryError(
  fault: EntryFault,
  { list, of = list, label = list, source = 'default' }: Place,
  key: string,
): EngineError {
  const ofList = ownValue(WORDINGS, label)
  const wording =
    ofList?.[fault] ?? (fault === 'gone' ? ofList?.missing : undefined) ?? USUAL_WORDINGS[fault]
  const message = wording.message(shortKey(key), of, source)
  return new EngineError(wording.code, message, { path: wording.path ?? '$.args', status: 400 })
}

type Wording = {
  code: ErrorCode
  message(name: string, of: string, source: string): string
  path?: string
}

const USUAL_WORDINGS: Readonly<Record<EntryFault, Wording>> = {
  exists: { code: 'already-exists', message: (name, of) => `"${name}" already exists in ${of}` },
  missing: { code: 'not-exists', message: (name, of) => `"${name}" does not exist in ${of}` },
  gone: { code: 'not-exists', message: (name, of) => `"${name}" does not exist in ${of}` },
}

type Wordings = Readonly<Partial<Record<EntryFault, Wording>>>

/** Hasura's messages, by the name of the list or its `label`. */
const WORDINGS: Readonly<Record<string, Wordings>> = {
  sources: {
    exists: makeWording('already-exists', (name) => `source with name "${name}" already exists`),
    missing: makeWording('not-exists', (name) => `source with name "${name}" does not exist`),
  },
  tables: {
    exists: makeWording('already-tracked', (name) => `view/table already tracked: "${name}"`),
    missing: makeWording(
      'not-exists',
      (name, _of, source) => `table "${name}" does not exist in source: ${source}`,
    ),
    gone: makeWording('already-untracked', (name) => `view/table already untracked: "${name}"`),
  },
  functions: {
    exists: makeWording('already-tracked', (name) => `function already tracked: "${name}"`),
    missing: makeWording(
      'not-exists',
      (name, _of, source) => `function "${name}" does not exist in source: ${source}`,
    ),
  },
  select_permissions: permissionWordings('select'),
  insert_permissions: permissionWordings('insert'),
  update_permissions: permissionWordings('update'),
  delete_permissions: permissionWordings('delete'),
  object_relationships: relationshipWordings(),
  array_relationships: relationshipWordings(),
  computed_fields: {
    exists: makeWording(
      'already-exists',
      (name, table) => `computed field "${name}" already exists in table "${table}"`,
    ),
    missing: {
      ...makeWording('not-exists', (name) => `computed field "${name}" does not exist`),
      path: '$.args.name',
    },
  },
  event_triggers: {
    exists: makeWording(
      'already-exists',
      (name) => `Event trigger with name "${name}" already exists`,
    ),
    missing: makeWording('not-exists', (name) => `event trigger "${name}" does not exist`),
  },
  actions: {
    exists: makeWording('already-exists', (name) => `action with name "${name}" already exists`),
    missing: makeWording('not-exists', (name) => `action with name "${name}" does not exist`),
  },
  permissions: {
    exists: makeWording(
      'already-exists',
      (role, of) => `permission for role "${role}" is already defined on "${of}"`,
    ),
    missing: makeWording(
      'not-exists',
      (role, of) => `permission for role: "${role}" is not defined on "${of}"`,
    ),
  },
  function_permissions: {
    exists: makeWording(
      'already-exists',
      (role, of, source) =>
        `permission of role "${role}" already exists for function "${of}" in source: "${source}"`,
    ),
    missing: makeWording(
      'not-exists',
      (role, of, source) =>
        `permission of role "${role}" does not exist for function "${of}" in source: "${source}"`,
    ),
  },
  remote_schemas: {
    exists: makeWording(
      'already-exists',
      (name) => `remote schema with name "${name}" already exists`,
    ),
    missing: makeWording(
      'not-exists',
      (name) => `remote schema with name "${name}" does not exist`,
    ),
  },
  remote_schema_permissions: {
    exists: makeWording(
      'already-exists',
      (role, of) => `permissions for role: "${role}" for remote schema: "${of}" already exists`,
    ),
    missing: makeWording(
      'not-exists',
      (role, of) => `permissions for role: "${role}" for remote schema: "${of}" doesn't exist`,
    ),
  },
  remote_relationships: relationshipWordings(),
  type_relationships: {
    exists: makeWording(
      'already-exists',
      (name, of) => `field with name "${name}" already exists in type "${of}"`,
    ),
    missing: makeWording('not-exists', (name) => `relationship "${name}" does not exist`),
  },
  query_collections: {
    exists: {
      ...makeWording(
        'already-exists',
        (name) => `query collection with name "${name}" already exists`,
      ),
      path: '$.args.name',
    },
    missing: makeWording(
      'not-exists',
      (name) => `query collection with name "${name}" does not exist`,
    ),
  },
  queries: {
    exists: makeWording(
      'already-exists',
      (name, of) => `query with name "${name}" already exists in collection "${of}"`,
    ),
    missing: makeWording(
      'not-found',
      (name, of) => `query with name "${name}" not found in collection "${of}"`,
    ),
  },
  allowlist: {
    missing: makeWording(
      'not-found',
      (name) => `collection "${name}" doesn't exist in the allowlist`,
    ),
  },
  rest_endpoints: {
    exists: makeWording('already-exists', (name) => `Endpoint with name: ${name} already exists`),
    missing: makeWording('not-exists', (name) => `endpoint with name: ${name} does not exist`),
  },
  cron_triggers: {
    exists: makeWording(
      'already-exists',
      (name) => `cron trigger with name: ${name} already exists`,
    ),
    missing: makeWording('not-exists', (name) => `cron trigger with name: ${name} does not exist`),
  },
  inherited_roles: {
    missing: makeWording('not-exists', (role) => `"${role}" inherited role doesn't exist`),
  },
  native_queries: {
    exists: makeWording('already-tracked', (name) => `Native query '${name}' is already tracked.`),
    missing: makeWording(
      'not-found',
      (name, _of, source) => `Native query "${name}" not found in source "${source}".`,
    ),
  },
  logical_models: {
    exists: makeWording('already-tracked', (name) => `Logical model '${name}' is already tracked.`),
    missing: makeWording(
      'not-found',
      (name, _of, source) => `Logical model "${name}" not found in source "${source}".`,
    ),
  },
}

function makeWording(code: ErrorCode, message: Wording['message']): Wording {
  return { code, message }
}

function permissionWordings(kind: string): Wordings {
  return {
    exists: makeWording(
      'already-exists',
      (role, table) => `${kind} permission already defined on table "${table}" with role "${role}"`,
    ),
    gone: makeWording(
      'permission-denied',
      (role, table) => `${kind} permission on "${table}" for role "${role}" does not exist`,
    ),
  }
}

function relationshipWordings(): Wordings {
  return {
    exists: makeWording(
      'already-exists',
      (name, table) => `field with name "${name}" already exists in table "${table}"`,
    ),
    missing: makeWording('not-exists', (name) => `relationship "${name}" does not exist`),
  }
}
