import { z } from 'zod'
import { EngineError } from '../errors.ts'
import type { DocumentEdit } from './changes.ts'
import {
  type Document,
  edit,
  has,
  type Node,
  named,
  nodesOf,
  type Place,
  qualified,
  sourceOf,
  tableOf,
} from './document.ts'
import { parseArgs } from './parse-args.ts'
import { refuseEntry } from './refusals.ts'

const NewTrigger = z
  .object({
    name: z
      .string()
      .regex(/^[A-Za-z]+[A-Za-z0-9_-]*$/, 'only alphanumeric and underscore and hyphens allowed')
      .max(42, 'event trigger name can be at most 42 characters'),
    insert: z.unknown().optional(),
    update: z.unknown().optional(),
    delete: z.unknown().optional(),
    enable_manual: z.boolean().nullish(),
    webhook: z.string().nullish(),
    webhook_from_env: z.string().nullish(),
    replace: z.boolean().nullish(),
  })
  .refine(
    ({ insert, update, delete: deletion, enable_manual }) =>
      Boolean(insert ?? update ?? deletion ?? enable_manual),
    'at least one amongst insert/update/delete/enable_manual spec must be provided',
  )
  .refine(
    ({ webhook, webhook_from_env }) => (webhook == null) !== (webhook_from_env == null),
    'one of webhook or webhook_from_env should be given',
  )

/** The same edit, of a trigger that can be one, and whose name no other one has. @throws parse-failed, already-exists, not-supported */
export function asNewTrigger(add: DocumentEdit): DocumentEdit {
  return (document, args) => {
    const { name, replace } = parseArgs(NewTrigger, args)
    const place = placeOf(document, args, name)
    if (place && replace !== true) throw refuseEntry('there', place, name)
    if (place && keyOf(place.owner) !== keyOf(tableOf(document, args))) {
      const message = 'cannot replace table or schema for trigger'
      throw new EngineError('not-supported', message, { path: '$.args' })
    }
    add(document, args)
  }
}

/** Takes a trigger away; the command does not say of which table it is. @throws not-exists */
export function deleteEventTrigger(document: Document, args: unknown) {
  const { name } = parseArgs(z.object({ name: z.string() }), args)
  const place = placeOf(document, args, name)
  if (!place) throw refuseEntry('gone', listOf(sourceOf(document, args)), name)
  edit(place, (present) => present.filter((entry) => entry.name !== name))
}

/** The command has the operations beside the webhook, the document has them in `definition`. */
export function eventTriggerEntry(args: Node): Node {
  const { insert, update, delete: deletion, enable_manual = false, ...others } = args
  const { table, source, replace, ...rest } = others
  const operations = { enable_manual, insert, update, delete: deletion }
  const definition = Object.fromEntries(
    Object.entries(operations).filter(([, value]) => value != null),
  )
  return { ...rest, definition }
}

const keyOf = qualified('table')

function placeOf(document: Document, args: unknown, name: string): Place | undefined {
  const source = sourceOf(document, args)
  const tables = nodesOf(source, 'tables')
  source.tables = tables
  return tables.map(listOf).find((place) => has(place, name))
}

function listOf(owner: Node): Place {
  return { owner, list: 'event_triggers', keyOf: named('name') }
}
