import { EngineError, type ErrorCode } from '../errors.ts'
import { own } from '../json/own.ts'
import { shortKey } from '../postgres/catalog.ts'
import type { Place } from './node.ts'

/**
 * Why a command on an entry fails:
 * it exists already, is missing, or (for a command that drops it) is gone already.
 */
export type Refusal = 'there' | 'missing' | 'gone'

/** Hasura's error about an entry of a list. */
export function refuseEntry(
  why: Refusal,
  { list, of = '', label = list }: Place,
  key: string,
): EngineError {
  const words = own(LISTS, label)
  const chosen = words?.[why] ?? (why === 'gone' ? words?.missing : undefined) ?? USUAL[why]
  const name = shortKey(key)
  const message = chosen.message(name, of || list)
  return new EngineError(chosen.code, message, { path: chosen.path ?? '$.args', status: 400 })
}

type Wording = { code: ErrorCode; message(name: string, of: string): string; path?: string }

const USUAL: Readonly<Record<Refusal, Wording>> = {
  there: { code: 'already-exists', message: (name, of) => `"${name}" already exists in ${of}` },
  missing: { code: 'not-exists', message: (name, of) => `"${name}" does not exist in ${of}` },
  gone: { code: 'not-exists', message: (name, of) => `"${name}" does not exist in ${of}` },
}

type Words = Readonly<Partial<Record<Refusal, Wording>>>

/** Messages by the name of the list, or its `label`. */
const LISTS: Readonly<Record<string, Words>> = {
  sources: {
    there: wording('already-exists', (name) => `source with name "${name}" already exists`),
    missing: wording('not-exists', (name) => `source with name "${name}" does not exist`),
  },
  tables: {
    there: wording('already-tracked', (name) => `view/table already tracked: "${name}"`),
    missing: wording('not-exists', (name) => `table "${name}" does not exist in source: default`),
    gone: wording('already-untracked', (name) => `view/table already untracked: "${name}"`),
  },
  functions: {
    there: wording('already-tracked', (name) => `function already tracked: "${name}"`),
    missing: wording(
      'not-exists',
      (name) => `function "${name}" does not exist in source: default`,
    ),
  },
  select_permissions: permission('select'),
  insert_permissions: permission('insert'),
  update_permissions: permission('update'),
  delete_permissions: permission('delete'),
  object_relationships: relationship(),
  array_relationships: relationship(),
  computed_fields: {
    there: wording(
      'already-exists',
      (name, table) => `computed field "${name}" already exists in table "${table}"`,
    ),
    missing: {
      ...wording('not-exists', (name) => `computed field "${name}" does not exist`),
      path: '$.args.name',
    },
  },
  event_triggers: {
    there: wording('already-exists', (name) => `Event trigger with name "${name}" already exists`),
    missing: wording('not-exists', (name) => `event trigger "${name}" does not exist`),
  },
  actions: {
    there: wording('already-exists', (name) => `action with name "${name}" already exists`),
    missing: wording('not-exists', (name) => `action with name "${name}" does not exist`),
  },
  permissions: {
    there: wording(
      'already-exists',
      (role, of) => `permission for role "${role}" is already defined on "${of}"`,
    ),
    missing: wording(
      'not-exists',
      (role, of) => `permission for role: "${role}" is not defined on "${of}"`,
    ),
  },
  function_permissions: {
    there: wording(
      'already-exists',
      (role, of) =>
        `permission of role "${role}" already exists for function "${of}" in source: "default"`,
    ),
    missing: wording(
      'not-exists',
      (role, of) =>
        `permission of role "${role}" does not exist for function "${of}" in source: "default"`,
    ),
  },
  query_collections: {
    there: {
      ...wording('already-exists', (name) => `query collection with name "${name}" already exists`),
      path: '$.args.name',
    },
    missing: wording('not-exists', (name) => `query collection with name "${name}" does not exist`),
  },
  queries: {
    there: wording(
      'already-exists',
      (name, of) => `query with name "${name}" already exists in collection "${of}"`,
    ),
    missing: wording(
      'not-found',
      (name, of) => `query with name "${name}" not found in collection "${of}"`,
    ),
  },
  allowlist: {
    missing: wording('not-found', (name) => `collection "${name}" doesn't exist in the allowlist`),
  },
  rest_endpoints: {
    there: wording('already-exists', (name) => `Endpoint with name: ${name} already exists`),
    missing: wording('not-exists', (name) => `endpoint with name: ${name} does not exist`),
  },
  cron_triggers: {
    there: wording('already-exists', (name) => `cron trigger with name: ${name} already exists`),
    missing: wording('not-exists', (name) => `cron trigger with name: ${name} does not exist`),
  },
  inherited_roles: {
    missing: wording('not-exists', (role) => `"${role}" inherited role doesn't exist`),
  },
  native_queries: {
    there: wording('already-tracked', (name) => `Native query '${name}' is already tracked.`),
    missing: wording(
      'not-found',
      (name) => `Native query "${name}" not found in source "default".`,
    ),
  },
  logical_models: {
    there: wording('already-tracked', (name) => `Logical model '${name}' is already tracked.`),
    missing: wording(
      'not-found',
      (name) => `Logical model "${name}" not found in source "default".`,
    ),
  },
}

function wording(code: ErrorCode, message: Wording['message']): Wording {
  return { code, message }
}

function permission(kind: string): Words {
  return {
    there: wording(
      'already-exists',
      (role, table) => `${kind} permission already defined on table "${table}" with role "${role}"`,
    ),
    gone: wording(
      'bad-request',
      (role, table) => `${kind} permission on "${table}" for role "${role}" does not exist`,
    ),
  }
}

function relationship(): Words {
  return {
    there: wording(
      'already-exists',
      (name, table) => `field with name "${name}" already exists in table "${table}"`,
    ),
    missing: wording('not-exists', (name) => `relationship "${name}" does not exist`),
  }
}
