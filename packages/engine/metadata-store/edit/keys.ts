import { z } from 'zod'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import { MetadataName, QualifiedName } from '../../metadata/primitives.ts'
import { shortKey } from '../../postgres/catalog.ts'
import type { Node } from './node.ts'
import { parseArgs } from './parse-args.ts'

/** Reads the short or qualified name of a table or function as a comparable text: `schema.name`. */
export const QualifiedKey = QualifiedName.transform(({ schema, name }) => `${schema}.${name}`)

/** Returns the key (`catalogKey`) of the table or function with this name; empty if it is not a name. */
export function catalogKeyOf(name: unknown): string {
  return shortKey(QualifiedKey.safeParse(name).data ?? '')
}

/** Creates a function that reads the key of an entry, or of arguments, from this field. @throws parse-failed if it is missing */
export function keyedBy(field: string): (entry: Node) => string {
  return keyReader(field, MetadataName)
}

/** Like `keyedBy`, for a field that contains the name of a table or function. */
export function keyedByQualifiedName(field: string): (entry: Node) => string {
  return keyReader(field, QualifiedKey)
}

function keyReader(field: string, key: z.ZodType<string>): (entry: Node) => string {
  const schema = z.object({ [field]: key })
  return (entry) => requireValue(parseArgs(schema, entry)[field], `the key "${field}" of an entry`)
}
