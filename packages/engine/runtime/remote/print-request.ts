import type { Bindings } from '../../compiler/ir/ir.ts'
import type {
  SentField,
  SentMember,
  SentSelection,
  SentValue,
} from '../../compiler/plan/sent-field.ts'
import { inHashOrder } from '../../compiler/schema/hash-order.ts'
import type { RemoteRequest } from './ask-remote-schema.ts'

/** What is asked of a remote schema in one request. */
export type RemoteOperation = {
  root: 'query' | 'mutation'
  fields: readonly SentField[]
  /** The name that the caller's request gives its operation. */
  name: string | null
}

/**
 * Writes a request as Hasura does, so that the places in a document that a server's errors name are the same. Values that are
 * not in the caller's document are variables.
 */
export function printRequest(
  { root, fields, name }: RemoteOperation,
  bindings: Bindings,
): RemoteRequest {
  const collected: Collected = { variables: new Map(), json: new Map() }
  const print = fieldPrinter(bindings, collected)
  const selection = fields.map(print).join(' ')
  const head = `${root} ${name ?? ''}${printDefinitions(collected)}`
  const values = [...collected.variables].map(([key, { value }]) => [key, value])
  return {
    query: `${head} { ${selection} }`,
    ...(values.length > 0 && { variables: Object.fromEntries(values) }),
    ...(name !== null && { operationName: name }),
  }
}

type Variable = { type: string; defaultText: string | null; value: unknown }

type Collected = {
  variables: Map<string, Variable>
  /** The names of values that are variables of their own. */
  json: Map<SentValue, string>
}

function printDefinitions({ variables }: Collected): string {
  if (variables.size === 0) return ''
  // As Hasura sorts them: first those that must be given.
  const sorted = [...variables].toSorted(
    ([a, one], [b, other]) =>
      Number(one.defaultText !== null) - Number(other.defaultText !== null) || (a < b ? -1 : 1),
  )
  const printed = sorted.map(([name, { type, defaultText }]) => {
    const ending = defaultText === null ? '' : ` = ${defaultText}`
    return `$${name}: ${type}${ending}`
  })
  return `(${printed.join(',')})`
}

function fieldPrinter(bindings: Bindings, collected: Collected): (field: SentField) => string {
  const known = new Map<SentField['args'], string>()
  const selections = new Map<SentSelection, string>()

  function printField({ as, name, args, below }: SentField): string {
    const alias = as === name ? '' : `${as}: `
    return `${alias}${name}${printArguments(args)} ${below ? printSelection(below) : ''}`
  }
  /** The objects of a relationship all have the same selection, which is written once. */
  function printSelection(selection: SentSelection): string {
    const printed = selections.get(selection) ?? printOnce(selection)
    selections.set(selection, printed)
    return printed
  }
  function printOnce({ fields, on }: SentSelection): string {
    const fragments = on.map(
      (part) => `...on ${part.type} { ${part.fields.map(printField).join(' ')} }`,
    )
    const all = [...fields.map(printField), ...fragments]
    return all.length === 0 ? '' : `{ ${all.join(' ')} }`
  }
  function printArguments(args: SentField['args']): string {
    const printed = known.get(args)
    if (printed !== undefined) return printed
    const members = printMembers(args(bindings), collected)
    const text = members === '' ? '' : `(${members})`
    known.set(args, text)
    return text
  }
  return printField
}

function printMembers(members: readonly SentMember[], collected: Collected): string {
  return inHashOrder(members, ({ name }) => name)
    .map(({ name, value }) => `${name}: ${printValue(value, collected)}`)
    .join(',')
}

function printValue(value: SentValue, collected: Collected): string {
  switch (value.kind) {
    case 'text':
      return value.text
    case 'list':
      return `[${value.items.map((item) => printValue(item, collected)).join(',')}]`
    case 'object':
      return `{${printMembers(value.members, collected)}}`
    case 'variable': {
      const { name, ...variable } = value
      collected.variables.set(name, variable)
      return `$${name}`
    }
    case 'json':
      return `$${jsonVariable(value, collected)}`
  }
}

function jsonVariable(sent: Extract<SentValue, { kind: 'json' }>, collected: Collected): string {
  const { variables, json } = collected
  const known = json.get(sent)
  if (known !== undefined) return known
  const name = `hasura_json_var_${json.size + 1}`
  json.set(sent, name)
  variables.set(name, { type: sent.type, defaultText: null, value: sent.value })
  return name
}
