import { builtInType } from '../../postgres/scalars.ts'
import { joinSql, type Sql, sql } from '../../postgres/sql.ts'
import type { Json, Scalar } from '../ir/ir.ts'

/** Prints the base64 text of a JSON value, in a single line. */
export function printBase64Json(json: Json, print: (scalar: Scalar) => Sql): Sql {
  const text = sql`(${printJson(json, print)})::text`
  return sql`translate(encode(convert_to(${text}, 'UTF8'), 'base64'), chr(10), '')`
}

function printJson(json: Json, print: (scalar: Scalar) => Sql): Sql {
  switch (json.kind) {
    case 'value':
      return print(json.of)
    case 'text':
      return printName(json.text)
    case 'list': {
      const items = json.items.map((item) => printJson(item, print))
      return sql`json_build_array(${joinSql(items, ', ')})`
    }
    case 'object': {
      const fragments = json.members.flatMap(({ key, value }) => [
        printName(key),
        printJson(value, print),
      ])
      return sql`json_build_object(${joinSql(fragments, ', ')})`
    }
  }
}

/** Prints a key or text of the JSON value as a parameter of type text. */
function printName(text: string): Sql {
  return sql`(${{ type: builtInType('text'), read: () => text }})::text`
}
