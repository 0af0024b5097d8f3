import { z } from 'zod'
import { EngineError } from '../errors.ts'
import type { Call } from '../http/guarded.ts'
import type { Inconsistency } from '../model/inconsistency.ts'
import { catalogState, setCatalogState } from './catalog-state.ts'
import type { DocumentEdit } from './changes.ts'
import { type Carry, type Command, parseArgs, SUCCESS } from './command.ts'
import { Document, EMPTY } from './document.ts'
import { documentEdits } from './edits.ts'
import { invokeEventTrigger, redeliverEvent } from './event-commands.ts'
import type { Judge } from './metadata-store.ts'

/** The commands of /v1/metadata, by `type`. */
export const metadataCommands: ReadonlyMap<string, Carry> = new Map<string, Carry>([
  ['export_metadata', exportMetadata],
  ['replace_metadata', replaceMetadata],
  ['reload_metadata', reloadMetadata],
  ['clear_metadata', clearMetadata],
  ['get_inconsistent_metadata', inconsistentMetadata],
  ['get_catalog_state', catalogState],
  ['set_catalog_state', setCatalogState],
  ['pg_invoke_event_trigger', invokeEventTrigger],
  ['pg_redeliver_event', redeliverEvent],
  ...[...documentEdits].map(([type, edit]): [string, Carry] => [type, editing(edit)]),
])

async function exportMetadata({ version }: Command, { services: { store } }: Call) {
  const { document, resourceVersion } = store.current()
  return version === 1 ? document : { resource_version: resourceVersion, metadata: document }
}

const Replacement = z.object({
  allow_inconsistent_metadata: z.boolean().default(false),
  metadata: Document,
})

/** Takes the metadata itself as arguments, or beside `allow_inconsistent_metadata`. */
async function replaceMetadata(
  { version, args, resource_version }: Command,
  { services: { store } }: Call,
) {
  const replacement = parseArgs(z.union([Replacement, Document.transform(alone)]), args)
  checkVersion(resource_version, store.current().resourceVersion)
  const judge = replacement.allow_inconsistent_metadata ? anything : consistent
  const found = await store.change(() => replacement.metadata, judge)
  return version === 1 ? SUCCESS : report(found)
}

function alone(metadata: Document): z.infer<typeof Replacement> {
  return { allow_inconsistent_metadata: false, metadata }
}

async function reloadMetadata(_command: Command, { services: { engine } }: Call) {
  const found = await engine.reload()
  return { ...SUCCESS, is_consistent: found.length === 0 }
}

async function clearMetadata(_command: Command, { services: { store } }: Call) {
  await store.change(() => EMPTY, anything)
  return SUCCESS
}

async function inconsistentMetadata(_command: Command, { services: { engine } }: Call) {
  return report(engine.snapshot().inconsistencies)
}

function report(found: readonly Inconsistency[]) {
  return {
    is_consistent: found.length === 0,
    inconsistent_objects: found.map(({ definition, name, reason, type }) => ({
      definition,
      name,
      reason,
      type,
    })),
  }
}

/** A command that changes one thing is refused when it would make anything inconsistent that was not. */
function editing(edit: DocumentEdit): Carry {
  return async ({ args, resource_version }, { services: { store } }) => {
    checkVersion(resource_version, store.current().resourceVersion)
    await store.change((document) => {
      const copy = structuredClone(document)
      edit(copy, args)
      return copy
    }, nothingNew)
    return SUCCESS
  }
}

const nothingNew: Judge = (after, before) => {
  const known = new Set(before.map(({ type, name }) => `${type} ${name}`))
  const fresh = after.filter(({ type, name }) => !known.has(`${type} ${name}`))
  if (!fresh[0]) return
  const context = { path: '$.args', internal: report(fresh).inconsistent_objects }
  throw new EngineError('invalid-configuration', fresh[0].reason, context)
}

const anything: Judge = () => {}

const consistent: Judge = (after) => {
  if (after.length === 0) return
  throw new EngineError('unexpected', 'cannot continue due to inconsistent metadata', {
    path: '$.args',
    status: 400,
    internal: after,
  })
}

function checkVersion(referenced: number | null | undefined, current: number) {
  if (referenced == null || referenced === current) return
  throw new EngineError(
    'conflict',
    `metadata resource version referenced (${referenced}) did not match current version (${current})`,
  )
}
