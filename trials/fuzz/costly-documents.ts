import {
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql'

/** A field of a document, with what is selected below it. */
type Node = { field: Field; arguments: string; below: readonly Node[] }

type Field = GraphQLField<unknown, unknown>

/** A query, as the fields below its root. */
export type GraphqlDocument = readonly Node[]

/** A source of random numbers from 0 to 1. */
export type Random = () => number

/** Each root field alone, with one column or the name of its type; and both fields of introspection. */
export function smallDocuments(schema: GraphQLSchema): GraphqlDocument[] {
  const own = selectable(schema.getQueryType()?.getFields() ?? {}).map((field) => smallest(field))
  const introspection = [
    smallest(SchemaMetaFieldDef),
    { ...smallest(TypeMetaFieldDef), arguments: '(name:"query_root")' },
  ]
  return [...own, ...introspection].map((node) => [node])
}

/** Writes a document; equal fields get different aliases, so that each is read. */
export function printDocument(document: GraphqlDocument): string {
  let aliases = 0
  const print = ({ field, arguments: given, below }: Node): string => {
    aliases += 1
    const inner = isLeafType(getNamedType(field.type))
      ? ''
      : `{${below.length > 0 ? below.map(print).join(' ') : '__typename'}}`
    return `a${aliases}:${field.name}${given}${inner}`
  }
  return `{${document.map(print).join(' ')}}`
}

/** Changes one place of a document, so that it asks for more. */
export function growDocument(document: GraphqlDocument, random: Random): GraphqlDocument {
  const places = countNodes(document)
  const place = Math.floor(random() * places)
  const grow = pick([repeatNode, deepenNode, deepenNode, addCondition, addOrder], random)
  return changeNode(document, place, (node) => grow(node, random))
}

function countNodes(nodes: GraphqlDocument): number {
  return nodes.reduce((sum, { below }) => sum + 1 + countNodes(below), 0)
}

/** Replaces the node with this number, counted from the top, by others. */
function changeNode(
  nodes: GraphqlDocument,
  place: number,
  change: (node: Node) => GraphqlDocument,
): GraphqlDocument {
  let left = place
  return nodes.flatMap((node) => {
    const own = left
    left -= 1 + countNodes(node.below)
    if (own === 0) return change(node)
    if (own < 0 || left >= 0) return [node]
    return [{ ...node, below: changeNode(node.below, own - 1, change) }]
  })
}

/** The same field up to ten times. */
function repeatNode(node: Node, random: Random): GraphqlDocument {
  return Array.from({ length: 2 + Math.floor(random() * 9) }, () => node)
}

/** One more relation below the field, or a chain of them. */
function deepenNode(node: Node, random: Random): GraphqlDocument {
  const type = getNamedType(node.field.type)
  if (!isObjectType(type)) return [node]
  const relations = selectable(type.getFields()).filter(({ type: of }) =>
    isObjectType(getNamedType(of)),
  )
  if (relations.length === 0) return [node]
  const relation = smallest(pick(relations, random))
  const deeper = random() < 0.5 ? deepenNode(relation, random) : [relation]
  return [{ ...node, below: [...node.below, ...deeper] }]
}

/** A condition in a condition, which is true for every row. */
function addCondition(node: Node, random: Random): GraphqlDocument {
  if (!node.field.args.some(({ name }) => name === 'where') || node.arguments !== '') return [node]
  const levels = 1 + Math.floor(random() * 6)
  const where = `${'{_or:[{},'.repeat(levels)}{}${']}'.repeat(levels)}`
  return [{ ...node, arguments: `(where:${where})` }]
}

/** An order by every column that there is. */
function addOrder(node: Node, random: Random): GraphqlDocument {
  const type = getNamedType(node.field.type)
  const takesOrder = node.field.args.some(({ name }) => name === 'order_by')
  if (!takesOrder || node.arguments !== '' || !isObjectType(type)) return [node]
  const columns = Object.values(type.getFields()).filter(({ type: of, args }) => {
    return isLeafType(getNamedType(of)) && args.length === 0
  })
  if (columns.length === 0) return [node]
  const by = columns.map(({ name }) => `{${name}:${random() < 0.5 ? 'asc' : 'desc'}}`)
  return [{ ...node, arguments: `(order_by:[${by.join(',')}])` }]
}

function smallest(field: Field): Node {
  const type = getNamedType(field.type)
  const columns = isObjectType(type)
    ? selectable(type.getFields()).filter((column) => isLeafType(getNamedType(column.type)))
    : []
  const below = columns.slice(0, 1).map((column) => ({ field: column, arguments: '', below: [] }))
  return { field, arguments: '', below }
}

/** The fields that need no arguments. */
function selectable(fields: Readonly<Record<string, Field>>): Field[] {
  return Object.values(fields).filter(({ args }) => !args.some(isRequiredArgument))
}

function pick<T>(from: readonly T[], random: Random): T {
  const found = from[Math.floor(random() * from.length)]
  if (found === undefined) throw new RangeError('There is nothing to pick from.')
  return found
}
