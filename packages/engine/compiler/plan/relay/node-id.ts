import { isNumeral } from '../../../../../lib/runtime/exact-json.ts'
import { wrongKindMessage } from '../../../json/aeson-wording.ts'
import { parseJsonBytes } from '../../../json/json-bytes.ts'
import { isList } from '../../../json/record.ts'
import { base64Bytes } from './base64.ts'

/** What a global id says: the table, and the values of its primary key. */
export type NodeId = { schema: string; name: string; key: readonly unknown[] }

/** Why a text is no global id, in Hasura's words. */
export class InvalidNodeId extends Error {
  override readonly name = 'InvalidNodeId'
}

/** The id that was read last: a plan reads the same one for its table, and for each value of the key. */
let latest: { text: string; parsed: NodeId | InvalidNodeId } | null = null

/** Reads a global id. @throws InvalidNodeId */
export function readNodeId(text: string): NodeId {
  if (latest?.text !== text) latest = { text, parsed: parsedOrFault(text) }
  if (latest.parsed instanceof InvalidNodeId) throw latest.parsed
  return latest.parsed
}

function parsedOrFault(text: string): NodeId | InvalidNodeId {
  try {
    return parseNodeId(text)
  } catch (cause) {
    if (cause instanceof InvalidNodeId) return cause
    throw cause
  }
}

/**
 * Reads a global id: the base64 text of the JSON list `[1, schema, table, …key]`.
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

/** A number as Haskell shows it: `2.0`. */
function haskellNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e7 ? value.toFixed(1) : String(value)
}
