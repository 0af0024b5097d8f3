import { EngineError } from '../errors.ts'
import { type Document, named, nodesOf } from './document.ts'
import type { Node } from './node.ts'

/** The document for an export: without cron triggers that have `include_in_metadata: false`. */
export function shown(document: Document): Document {
  if (hidden(document).length === 0) return document
  const { cron_triggers, ...rest } = document
  const left = nodesOf(document, 'cron_triggers').filter((trigger) => !isHidden(trigger))
  return left.length > 0 ? { ...document, cron_triggers: left } : rest
}

/** A new document for an import. It keeps the old one's cron triggers that an export leaves out. */
export function replacing(old: Document, document: Document): Document {
  const given = nodesOf(document, 'cron_triggers')
  const names = new Set(given.map(named('name')))
  const kept = hidden(old).filter(({ name }) => !names.has(String(name)))
  return kept.length > 0 ? { ...document, cron_triggers: [...given, ...kept] } : document
}

/** @throws already-exists when an import has a cron trigger with the name of one that it must keep */
export function refuseClash(old: Document, document: Document) {
  const names = new Set(hidden(old).map(named('name')))
  const clash = nodesOf(document, 'cron_triggers').find(({ name }) => names.has(String(name)))
  if (!clash) return
  const message = `cron trigger with name "${clash.name}" already exists as a cron trigger with "included_in_metadata" as false`
  throw new EngineError('already-exists', message, { path: '$.args' })
}

function hidden(document: Document): Node[] {
  return nodesOf(document, 'cron_triggers').filter(isHidden)
}

function isHidden({ include_in_metadata }: Node): boolean {
  return include_in_metadata === false
}
