import { type ASTNode, parse, print, visit } from 'graphql'

/**
 * Makes a document smaller while the condition holds: removes fields, arguments, members and items of values, directives, variables and
 * fragments. Returns the document unchanged if it is invalid, or if the condition does not hold for its formatted text.
 *
 * @param holds resolves to true if a smaller document still meets the condition
 */
export async function smallerDocument(
  query: string,
  holds: (smaller: string) => Promise<boolean>,
): Promise<string> {
  const whole = parsedDocument(query)
  if (!whole) return query
  let current = print(whole)
  if (!(await holds(current))) return query
  for (let at = 0; at < removableNodes(current).length; ) {
    const without = withoutNode(current, at)
    if (without !== null && without.length < current.length && (await holds(without)))
      current = without
    else at += 1
  }
  return current
}

function parsedDocument(query: string): ASTNode | null {
  try {
    return parse(query)
  } catch {
    return null
  }
}

const REMOVABLE: ReadonlySet<string> = new Set([
  'Field',
  'Argument',
  'ObjectField',
  'Directive',
  'VariableDefinition',
  'FragmentDefinition',
  'FragmentSpread',
  'InlineFragment',
])

/** Lists the nodes that can be removed, the outermost first. Items of lists are recognised by their parent. */
function removableNodes(query: string): ASTNode[] {
  const document = parsedDocument(query)
  const nodes: ASTNode[] = []
  if (document)
    visit(document, {
      enter(node, _key, parent) {
        if (REMOVABLE.has(node.kind) || isListItem(parent)) nodes.push(node)
      },
    })
  return nodes
}

/** Reports whether the parent is a list of values. For a node in a list, `visit` passes the list as the parent. */
function isListItem(parent: unknown): boolean {
  return Array.isArray(parent) && parent.some(isValueNode)
}

function isValueNode(node: unknown): boolean {
  if (typeof node !== 'object' || node === null || !('kind' in node)) return false
  return /Value$|^Variable$/.test(String(node.kind))
}

function withoutNode(query: string, at: number): string | null {
  const document = parsedDocument(query)
  if (!document) return null
  let nth = -1
  const smaller: ASTNode = visit(document, {
    enter(node, _key, parent) {
      if (!REMOVABLE.has(node.kind) && !isListItem(parent)) return
      nth += 1
      return nth === at ? null : undefined
    },
  })
  const text = print(smaller)
  return parsedDocument(text) ? text : null
}
