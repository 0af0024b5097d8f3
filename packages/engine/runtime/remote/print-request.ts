import type { Bindings } from '../../compiler/ir/ir.ts'
import type {
  SentField,
  SentMember,
  SentSelection,
  SentValue,
} from '../../compiler/plan/sent-field.ts'
import { inHashOrder } from '../../compiler/schema/hash-order.ts'
import type { RemoteRequest } from './ask-remote-schema.ts'

/** The operation of a request to a remote schema. */
export type RemoteOperation = {
  root: 'query' | 'mutation'
  fields: readonly SentField[]
  /** The name of the operation in the caller's request. */
  name: string | null
}

/**
 * Prints a request like Hasura, so that a server's errors have the same locations. Values that are not in the caller's document
 * become variables.
 */
export function printRequest(
  { root, fields, name }: RemoteOperation,
  bindings: Bindings,
): RemoteRequest {
  const collection: VariableCollection = { variables: new Map(), json: new Map() }
  const print = fieldPrinter(bindings, collection)
  const selection = fields.map(print).join(' ')
  const head = `${root} ${name ?? ''}${printDefinitions(collection)}`
  const values = [...collection.variables].map(([key, { value }]) => [key, value])
  return {
    query: `${head} { ${selection} }`,
    ...(values.length > 0 && { variables: Object.fromEntries(values) }),
    ...(name !== null && { operationName: name }),
  }
}

type Variable = { type: string; defaultText: string | null; value: unknown }

type VariableCollection = {
  variables: Map<string, Variable>
  /** The names of the variables for values that are not in the caller's document. */
  json: Map<SentValue, string>
}

function printDefinitions({ variables }: VariableCollection): string {
  if (variables.size === 0) return ''
  // Sorted like Hasura: variables without a default first.
  const sorted = [...variables].toSorted(
    ([a, one], [b, other]) =>
      Number(one.defaultText !== null) - Number(other.defaultText !== null) || (a < b ? -1 : 1),
  )
  const definitions = sorted.map(([name, { type, defaultText }]) => {
    const ending = defaultText === null ? '' : ` = ${defaultText}`
    return `$${name}: ${type}${ending}`
  })
  return `(${definitions.join(',')})`
}

function fieldPrinter(
  bindings: Bindings,
  collection: VariableCollection,
): (field: SentField) => string {
  const argumentTexts = new Map<SentField['args'], string>()
  const selections = new Map<SentSelection, string>()

  function printField({ as, name, args, below }: SentField): string {
    const alias = as === name ? '' : `${as}: `
    return `${alias}${name}${printArguments(args)} ${below ? printSelection(below) : ''}`
  }
  /** Prints a selection only once, because all objects of a relationship have the same selection. */
  function printSelection(selection: SentSelection): string {
    const text = selections.get(selection) ?? printOnce(selection)
    selections.set(selection, text)
    return text
  }
  function printOnce({ fields, typeSelections: on }: SentSelection): string {
    const fragments = on.map(
      (part) => `...on ${part.type} { ${part.fields.map(printField).join(' ')} }`,
    )
    const all = [...fields.map(printField), ...fragments]
    return all.length === 0 ? '' : `{ ${all.join(' ')} }`
  }
  function printArguments(args: SentField['args']): string {
    const cached = argumentTexts.get(args)
    if (cached !== undefined) return cached
    const members = printMembers(args(bindings), collection)
    const text = members === '' ? '' : `(${members})`
    argumentTexts.set(args, text)
    return text
  }
  return printField
}

function printMembers(members: readonly SentMember[], collection: VariableCollection): string {
  return inHashOrder(members, ({ name }) => name)
    .map(({ name, value }) => `${name}: ${printValue(value, collection)}`)
    .join(',')
}

function printValue(value: SentValue, collection: VariableCollection): string {
  switch (value.kind) {
    case 'text':
      return value.text
    case 'list':
      return `[${value.items.map((item) => printValue(item, collection)).join(',')}]`
    case 'object':
      return `{${printMembers(value.members, collection)}}`
    case 'variable': {
      const { name, ...variable } = value
      collection.variables.set(name, variable)
      return `$${name}`
    }
    case 'json':
      return `$${jsonVariable(value, collection)}`
  }
}

function jsonVariable(
  value: Extract<SentValue, { kind: 'json' }>,
  collection: VariableCollection,
): string {
  const { variables, json } = collection
  const existing = json.get(value)
  if (existing !== undefined) return existing
  const name = `hasura_json_var_${json.size + 1}`
  json.set(value, name)
  variables.set(name, { type: value.type, defaultText: null, value: value.value })
  return name
}
