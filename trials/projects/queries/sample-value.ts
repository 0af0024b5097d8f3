import {
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql'

/** Values that PostgreSQL can read, by the name of the scalar. Other scalars get a text. */
const SCALARS: Readonly<Record<string, unknown>> = {
  Boolean: true,
  Int: 1,
  Float: 1.5,
  smallint: 1,
  bigint: 1,
  numeric: 1,
  float8: 1.5,
  real: 1.5,
  uuid: '00000000-0000-4000-8000-000000000000',
  date: '2030-01-02',
  time: '10:00:00',
  timetz: '10:00:00Z',
  timestamp: '2030-01-02T10:00:00',
  timestamptz: '2030-01-02T10:00:00Z',
  interval: '1 day',
  json: {},
  jsonb: {},
  inet: '192.0.2.1',
  cidr: '192.0.2.0/24',
  bytea: '\\x00',
  geometry: { type: 'Point', coordinates: [1, 2] },
  geography: { type: 'Point', coordinates: [1, 2] },
  ltree: 'a.b',
  daterange: '[2030-01-01,2030-02-01)',
  tstzrange: '[2030-01-01T00:00:00Z,2030-02-01T00:00:00Z)',
  int4range: '[1,2)',
}

/** Returns a JSON value of an input type with only its required members. The arguments of a function get all members. */
export function sampleValue(type: GraphQLInputType): unknown {
  return /_?args$/i.test(getNamedType(type).name)
    ? fullSampleValue(type)
    : valueWith(type, isRequiredInputField)
}

/**
 * Returns a JSON value of an input type with all members except optional input objects. It has the other optional members, because
 * functions and handlers may need them.
 */
export function fullSampleValue(type: GraphQLInputType): unknown {
  return valueWith(
    type,
    ({ type: member }) => !isInputObjectType(getNamedType(member)) || isNonNullType(member),
  )
}

function valueWith(
  type: GraphQLInputType,
  isIncluded: (field: GraphQLInputField) => boolean,
): unknown {
  const nullable = getNullableType(type)
  if (isListType(nullable))
    return isNonNullType(nullable.ofType) ? [valueWith(nullable.ofType, isIncluded)] : []
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name
  if (isInputObjectType(nullable)) {
    const fields = Object.values(nullable.getFields()).filter(isIncluded)
    return Object.fromEntries(
      fields.map((field) => [field.name, valueWith(field.type, isIncluded)]),
    )
  }
  return nullable.name.startsWith('_') ? '{}' : (SCALARS[nullable.name] ?? 'a')
}
