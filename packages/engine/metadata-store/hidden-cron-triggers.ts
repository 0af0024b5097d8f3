import { EngineError } from '../errors.ts'
import { entriesOf } from './edit/entries.ts'
import { keyedBy } from './edit/keys.ts'
import type { MetadataDocument } from './edit/metadata-document.ts'
import type { Node } from './edit/node.ts'

/** Returns the document for an export, without cron triggers that have `include_in_metadata: false`. */
export function toExportDocument(document: MetadataDocument): MetadataDocument {
  if (hiddenTriggers(document).length === 0) return document
  const { cron_triggers, ...documentWithoutTriggers } = document
  const visibleTriggers = entriesOf(document, 'cron_triggers').filter(
    (trigger) => !isHidden(trigger),
  )
  return visibleTriggers.length > 0
    ? { ...document, cron_triggers: visibleTriggers }
    : documentWithoutTriggers
}

/** Adds to a new document the old document's cron triggers that exports omit. A cron trigger of the new document wins. */
export function withHiddenTriggers(
  document: MetadataDocument,
  old: MetadataDocument,
): MetadataDocument {
  const triggers = entriesOf(document, 'cron_triggers')
  const names = new Set(triggers.map(keyedBy('name')))
  const missingTriggers = hiddenTriggers(old).filter(({ name }) => !names.has(String(name)))
  return missingTriggers.length > 0
    ? { ...document, cron_triggers: [...triggers, ...missingTriggers] }
    : document
}

/** @throws already-exists if an import has a cron trigger with the name of a hidden trigger */
export function refuseHiddenNames(document: MetadataDocument, old: MetadataDocument) {
  const names = new Set(hiddenTriggers(old).map(keyedBy('name')))
  const conflictingTrigger = entriesOf(document, 'cron_triggers').find(({ name }) =>
    names.has(String(name)),
  )
  if (!conflictingTrigger) return
  const message = `cron trigger with name "${conflictingTrigger.name}" already exists as a cron trigger with "included_in_metadata" as false`
  throw new EngineError('already-exists', message, { path: '$.args' })
}

function hiddenTriggers(document: MetadataDocument): Node[] {
  return entriesOf(document, 'cron_triggers').filter(isHidden)
}

function isHidden({ include_in_metadata }: Node): boolean {
  return include_in_metadata === false
}
