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

/** A field of a document, and the fields selected below it. */
type Node = { field: Field; arguments: string; children: readonly Node[] }

type Field = GraphQLField<unknown, unknown>

/** A query: its root fields. */
export type GraphqlDocument = readonly Node[]

/** A source of random numbers from 0 to 1. */
export type Random = () => number

/** Creates a document for each root field, with one column or `__typename`, and one for each field of introspection. */
export function createSmallDocuments(schema: GraphQLSchema): GraphqlDocument[] {
  const rootFields = listSelectableFields(schema.getQueryType()?.getFields() ?? {}).map((field) =>
    createSmallNode(field),
  )
  const introspection = [
    createSmallNode(SchemaMetaFieldDef),
    { ...createSmallNode(TypeMetaFieldDef), arguments: '(name:"query_root")' },
  ]
  return [...rootFields, ...introspection].map((node) => [node])
}

/** Prints a document. Each field gets its own alias, so that the engine does not merge equal fields. */
export function printDocument(document: GraphqlDocument): string {
  let aliases = 0
  const print = ({ field, arguments: args, children }: Node): string => {
    aliases += 1
    const inner = isLeafType(getNamedType(field.type))
      ? ''
      : `{${children.length > 0 ? children.map(print).join(' ') : '__typename'}}`
    return `a${aliases}:${field.name}${args}${inner}`
  }
  return `{${document.map(print).join(' ')}}`
}

/** Changes one node of a document, so that it requests more. Returns the document unchanged if the change does not fit the node. */
export function growDocument(document: GraphqlDocument, random: Random): GraphqlDocument {
  const places = countNodes(document)
  const place = Math.floor(random() * places)
  const grow = pick([repeatNode, deepenNode, deepenNode, addCondition, addOrder], random)
  return changeNode(document, place, (node) => grow(node, random))
}

function countNodes(nodes: GraphqlDocument): number {
  return nodes.reduce((sum, { children }) => sum + 1 + countNodes(children), 0)
}

/** Replaces the node with this number, counted from the top. */
function changeNode(
  nodes: GraphqlDocument,
  place: number,
  change: (node: Node) => GraphqlDocument,
): GraphqlDocument {
  let index = place
  return nodes.flatMap((node) => {
    const nodeIndex = index
    index -= 1 + countNodes(node.children)
    if (nodeIndex === 0) return change(node)
    if (nodeIndex < 0 || index >= 0) return [node]
    return [{ ...node, children: changeNode(node.children, nodeIndex - 1, change) }]
  })
}

/** Repeats the field 2 to 10 times. */
function repeatNode(node: Node, random: Random): GraphqlDocument {
  return Array.from({ length: 2 + Math.floor(random() * 9) }, () => node)
}

/** Adds a relationship below the field, or a chain of relationships. */
function deepenNode(node: Node, random: Random): GraphqlDocument {
  const type = getNamedType(node.field.type)
  if (!isObjectType(type)) return [node]
  const relations = listSelectableFields(type.getFields()).filter(({ type: of }) =>
    isObjectType(getNamedType(of)),
  )
  if (relations.length === 0) return [node]
  const relation = createSmallNode(pick(relations, random))
  const deeper = random() < 0.5 ? deepenNode(relation, random) : [relation]
  return [{ ...node, children: [...node.children, ...deeper] }]
}

/** Adds nested conditions that are true for every row. */
function addCondition(node: Node, random: Random): GraphqlDocument {
  if (!node.field.args.some(({ name }) => name === 'where') || node.arguments !== '') return [node]
  const levels = 1 + Math.floor(random() * 6)
  const where = `${'{_or:[{},'.repeat(levels)}{}${']}'.repeat(levels)}`
  return [{ ...node, arguments: `(where:${where})` }]
}

/** Orders by every column. */
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

function createSmallNode(field: Field): Node {
  const type = getNamedType(field.type)
  const columns = isObjectType(type)
    ? listSelectableFields(type.getFields()).filter((column) =>
        isLeafType(getNamedType(column.type)),
      )
    : []
  const children = columns
    .slice(0, 1)
    .map((column) => ({ field: column, arguments: '', children: [] }))
  return { field, arguments: '', children }
}

/** Lists the fields without required arguments. */
function listSelectableFields(fields: Readonly<Record<string, Field>>): Field[] {
  return Object.values(fields).filter(({ args }) => !args.some(isRequiredArgument))
}

function pick<T>(items: readonly T[], random: Random): T {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new RangeError('pick needs at least one item; got none.')
  return item
}
