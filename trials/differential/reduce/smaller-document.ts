import { type ASTNode, parse, print, visit } from 'graphql'

/**
 * Makes a document smaller while something holds: leaves out fields, arguments, members and items of values, directives and
 * variables. A text that is no document is left as it is.
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

/** The nodes that may be left out, the outermost first; items of lists have no kind of their own. */
function removableNodes(query: string): ASTNode[] {
  const document = parsedDocument(query)
  const found: ASTNode[] = []
  if (document)
    visit(document, {
      enter(node, _key, parent) {
        if (REMOVABLE.has(node.kind) || isListItem(parent)) found.push(node)
      },
    })
  return found
}

/** `visit` passes the list that a node is in as its parent; only values of a list are in one without a kind to remove. */
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
