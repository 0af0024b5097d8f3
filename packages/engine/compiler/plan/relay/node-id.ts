import { isNumeral } from '../../../../../lib/runtime/exact-json.ts'
import { wrongKindMessage } from '../../../json/aeson-wording.ts'
import { parseJsonBytes } from '../../../json/json-bytes.ts'
import { isList } from '../../../json/record.ts'
import { base64Bytes } from './base64.ts'

/** The content of a global ID: the table, and the values of its primary key. */
export type NodeId = { schema: string; name: string; key: readonly unknown[] }

/** The error if a text is not a global ID. Its message has Hasura's wording. */
export class InvalidNodeId extends Error {
  override readonly name = 'InvalidNodeId'
}

/**
 * The last ID that was read, and its result. They are cached because a plan reads the same ID for its table and for
 * each value of the key.
 */
let cache: { text: string; result: NodeId | InvalidNodeId } | null = null

/** Parses a global ID. @throws InvalidNodeId */
export function readNodeId(text: string): NodeId {
  if (cache?.text !== text) cache = { text, result: parseOrFault(text) }
  if (cache.result instanceof InvalidNodeId) throw cache.result
  return cache.result
}

function parseOrFault(text: string): NodeId | InvalidNodeId {
  try {
    return parseNodeId(text)
  } catch (cause) {
    if (cause instanceof InvalidNodeId) return cause
    throw cause
  }
}

/**
 * Parses a global ID: the base64 text of the JSON list `[1, schema, table, …key]`.
 *
 * @throws InvalidNodeId
 */
function parseNodeId(text: string): NodeId {
  const parsed = parseJsonBytes(base64Bytes(text))
  if ('fault' in parsed) throw new InvalidNodeId(parsed.fault)
  const { value } = parsed
  if (!isList(value))
    throw new InvalidNodeId(`Error in $: ${wrongKindMessage('[]', 'Array', value)}`)
  const [version, schema, name, ...key] = value
  if (version === undefined) throw invalid('unexpected GUID format, found empty list')
  if (!isNumeral(version))
    throw invalid('unexpected GUID format, needs to start with a version number')
  if (Number(version) !== VERSION)
    throw invalid(`unsupported GUID version: ${haskellNumber(Number(version))}`)
  if (key.length === 0)
    throw invalid('GUID version 1: expecting schema name, table name and at least one column value')
  return { schema: textOf(schema), name: textOf(name), key }
}

const VERSION = 1

function invalid(reason: string): InvalidNodeId {
  return new InvalidNodeId(`Error in $: ${reason}`)
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  throw invalid(wrongKindMessage('Text', 'String', value))
}

/** Formats a number as Haskell does: `2.0`. */
function haskellNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e7 ? value.toFixed(1) : String(value)
}
