import { z } from 'zod'
import {
  type Document,
  edit,
  has,
  named,
  nodesOf,
  qualified,
  sourceOf,
  tableOf,
} from '../document/document.ts'
import type { Node, Place } from '../document/node.ts'
import { parseArgs } from '../document/parse-args.ts'
import { refuseEntry } from '../document/refusals.ts'
import { EngineError } from '../errors.ts'
import { isRecord } from '../json/record.ts'
import { Header, MetadataName } from '../metadata/shared.ts'
import { isSchedule } from '../model/cron-triggers.ts'
import { Operation } from '../model/event-triggers.ts'
import type { DocumentEdit } from './changes.ts'

/** How often a delivery is tried. The document contains defaults for what a command leaves out. */
const Retries = z.object({
  num_retries: z.number().int().nonnegative().default(0),
  interval_sec: z.number().int().nonnegative().default(10),
  timeout_sec: z.number().int().positive().nullish(),
})

/** When old events are deleted. Like Hasura's free edition, the engine stores this but deletes none. */
const Cleanup = z.looseObject({
  schedule: z.string().refine(isSchedule, {
    error: ({ input }) => `invalid cron schedule: ${JSON.stringify(input)}`,
  }),
  clear_older_than: z.number().int(),
})

const NewTrigger = z
  .object({
    name: MetadataName,
    insert: Operation,
    update: Operation,
    delete: Operation,
    enable_manual: z.boolean().nullish(),
    webhook: z.string().nullish(),
    webhook_from_env: z.string().nullish(),
    headers: z.array(Header).nullish(),
    retry_conf: Retries.nullish(),
    cleanup_config: Cleanup.nullish(),
    replace: z.boolean().nullish(),
  })
  .refine(({ name }) => /^[A-Za-z]+[A-Za-z0-9_-]*$/.test(name), {
    error: 'only alphanumeric and underscore and hyphens allowed for name',
  })
  .refine(({ name }) => name.length <= 42, 'event trigger name can be at most 42 characters')
  .refine((given) => operationsOf(given).length > 0 || given.enable_manual, {
    error: 'atleast one amongst insert/update/delete/enable_manual spec must be provided',
  })
  .refine(({ webhook, webhook_from_env }) => webhook == null || webhook_from_env == null, {
    error: 'only one of webhook or webhook_from_env should be given',
  })
  .refine(({ webhook, webhook_from_env }) => webhook != null || webhook_from_env != null, {
    error: 'must provide webhook or webhook_from_env',
  })
  .refine((given) => operationsOf(given).every(({ columns }) => columns.length > 0), {
    error: 'found empty column specification',
  })
  .refine((given) => operationsOf(given).every(({ payload }) => payload?.length !== 0), {
    error: 'found empty payload specification',
  })

type Given = { [operation in 'insert' | 'update' | 'delete']?: z.infer<typeof Operation> }

function operationsOf({ insert, update, delete: deletion }: Given) {
  return [insert, update, deletion].filter((operation) => operation != null)
}

/**
 * Makes an edit check a new trigger, and that no other has its name.
 *
 * @throws parse-failed, already-exists, not-supported
 */
export function asNewTrigger(add: DocumentEdit): DocumentEdit {
  return (document, args) => {
    const { name, replace } = parseArgs(NewTrigger, args)
    const table = tableOf(document, args)
    const place = placeOf(document, args, name)
    if (place && replace !== true) throw refuseEntry('there', place, name)
    if (place && keyOf(place.owner) !== keyOf(table)) {
      const message = 'cannot replace table or schema for trigger'
      throw new EngineError('not-supported', message, { path: '$.args' })
    }
    add(document, args)
  }
}

/** Removes a trigger, whose table the command does not name. @throws not-exists */
export function deleteEventTrigger(document: Document, args: unknown) {
  const { name } = parseArgs(z.object({ name: z.string() }), args)
  const place = placeOf(document, args, name)
  if (!place) throw refuseEntry('gone', listOf(sourceOf(document, args)), name)
  edit(place, (present) => present.filter((entry) => entry.name !== name))
}

/** The document's entry for a command's arguments: the operations go into `definition`. */
export function eventTriggerEntry(args: Node): Node {
  const { insert, update, delete: deletion, enable_manual = false, ...others } = args
  const { table, source, replace, retry_conf, ...rest } = others
  const operations = { enable_manual, insert, update, delete: deletion }
  const definition = Object.fromEntries(
    Object.entries(operations).filter(([, value]) => value != null),
  )
  return { ...rest, definition, retry_conf: retry_conf ?? Retries.parse({ timeout_sec: 60 }) }
}

const Toggle = z.union([
  z.object({ sources: z.union([z.literal('*'), z.array(z.string())]) }),
  z.object({
    event_triggers: z.array(
      z.object({ source_name: z.string().default('default'), event_triggers: z.array(z.string()) }),
    ),
  }),
])

/** Pauses or resumes the cleanup of some event triggers, or of all in a source. @throws not-exists */
export function toggleCleanup(paused: boolean): DocumentEdit {
  return (document, args) => {
    const given = parseArgs(Toggle, args)
    if ('sources' in given) {
      const all = nodesOf(document, 'sources').map(({ name }) => String(name))
      for (const source of given.sources === '*' ? all : given.sources)
        for (const trigger of triggersOf(cleanedSource(document, source))) pause(trigger, paused)
      return
    }
    for (const { source_name, event_triggers } of given.event_triggers) {
      const present = triggersOf(cleanedSource(document, source_name))
      for (const name of event_triggers) {
        const trigger = present.find((candidate) => candidate.name === name)
        if (!trigger) throw refuseEntry('missing', listOf({}), name)
        if (!pause(trigger, paused)) throw notThere(`cleanup config does not exist for ${name}`)
      }
    }
  }
}

function cleanedSource(document: Document, name: string): Node {
  const sources = nodesOf(document, 'sources')
  document.sources = sources
  const source = sources.find((candidate) => candidate.name === name)
  if (source) return source
  throw notThere(`source with name ${name} does not exists`)
}

function triggersOf(source: Node): Node[] {
  const tables = nodesOf(source, 'tables')
  source.tables = tables
  return tables.flatMap((table) => {
    const triggers = nodesOf(table, 'event_triggers')
    if (triggers.length > 0) table.event_triggers = triggers
    return triggers
  })
}

function pause(trigger: Node, paused: boolean): boolean {
  if (!isRecord(trigger.cleanup_config)) return false
  trigger.cleanup_config = { ...trigger.cleanup_config, paused }
  return true
}

function notThere(message: string): EngineError {
  return new EngineError('not-exists', message, { path: '$.args' })
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
