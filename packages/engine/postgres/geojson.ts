import { isNumeral } from '../../../lib/runtime/exact-json.ts'
import { wrongKindMessage } from '../json/aeson-wording.ts'
import { isList, isRecord } from '../json/record.ts'

/** Returns Hasura's message about an invalid GeoJSON geometry (RFC 7946); null if the value is valid. */
export function geoJsonFault(value: unknown): string | null {
  if (!isRecord(value)) return wrongKindMessage('Geometry', 'Object', value)
  const { type } = value
  if (type === undefined) return missingKey('type')
  if (typeof type !== 'string') return wrongKindMessage('Text', 'String', type)
  if (type === 'GeometryCollection') return memberFault(value, 'geometries', listOf(geoJsonFault))
  const check = COORDINATES.get(type)
  return check ? memberFault(value, 'coordinates', check) : `unexpected geometry type: ${type}`
}

type Check = (value: unknown) => string | null

const position = listOf(
  (value) => (isNumeral(value) ? null : wrongKindMessage('Double', 'Number', value)),
  { name: 'Position', atLeast: 2, items: 'elements' },
)
const line = listOf(position, { name: 'LineString', atLeast: 2, items: 'Positions' })
const openRing = listOf(position, { name: 'LinearRing', atLeast: 4, items: 'Positions' })
const ring: Check = (value) => openRing(value) ?? (isClosed(value) ? null : NOT_CLOSED)

const NOT_CLOSED = 'the first and last locations have to be equal for a LinearRing'

/** For each type of geometry, the check of its coordinates, which are lists nested to a certain depth. */
const COORDINATES: ReadonlyMap<string, Check> = new Map([
  ['Point', position],
  ['MultiPoint', listOf(position)],
  ['LineString', line],
  ['MultiLineString', listOf(line)],
  ['Polygon', listOf(ring)],
  ['MultiPolygon', listOf(listOf(ring))],
])

function missingKey(key: string): string {
  return `key "${key}" not found`
}

function memberFault(value: Readonly<Record<string, unknown>>, key: string, check: Check) {
  return value[key] === undefined ? missingKey(key) : check(value[key])
}

/** Creates a check for a list: each item passes `check`, and there are at least `atLeast` items. */
function listOf(
  check: Check,
  { name, atLeast, items } = { name: '[]', atLeast: 0, items: '' },
): Check {
  return (value) => {
    if (!isList(value)) return wrongKindMessage(name, 'Array', value)
    for (const item of value) {
      const fault = check(item)
      if (fault !== null) return fault
    }
    return value.length < atLeast ? `A ${name} needs at least ${atLeast} ${items}` : null
  }
}

function isClosed(value: unknown): boolean {
  return isList(value) && sameNumbers(value[0], value.at(-1))
}

function sameNumbers(a: unknown, b: unknown): boolean {
  if (!isList(a) || !isList(b)) return false
  // A position may have more than three numbers; the further numbers are ignored.
  const [first, second] = [a.slice(0, 3), b.slice(0, 3)]
  return (
    first.length === second.length && first.every((item, i) => Number(item) === Number(second[i]))
  )
}
