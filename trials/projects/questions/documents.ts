import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
  validate,
  visit,
} from 'graphql'

/** An operation of a repository, with the fragments that it needs. */
export type RepositoryDocument = {
  /** Where it was found. */
  file: string
  operation: OperationDefinitionNode
  document: DocumentNode
}

const TEXTS = '**/*.{graphql,gql}'
const PROGRAMS = '**/*.{ts,tsx,mts,js,jsx,mjs,cjs,vue,svelte,astro}'

const LEFT_OUT = new Set(['node_modules', '.git', 'dist', 'build', '.next', 'vendor'])

/** Longer files are generated, or minified. */
const MAX_FILE_BYTES = 500_000

/**
 * The operations in a repository's files of GraphQL and in the tagged templates of its programs, each once. Fragments are looked up by
 * their names in the whole repository, as its own tools do.
 */
export function collectDocuments(checkout: string): RepositoryDocument[] {
  const found = [
    ...read(checkout, TEXTS, (text) => [text]),
    ...read(checkout, PROGRAMS, templatesIn),
  ]
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const { definitions } of found)
    for (const definition of definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION)
        fragments.set(definition.name.value, definition)
  const documents = found.flatMap(({ file, definitions }) =>
    definitions
      .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
      .map((operation) => ({ file, operation, document: withFragments(operation, fragments) })),
  )
  return [...new Map(documents.map((one) => [print(one.document), one])).values()]
}

/** Whether graphql-js calls a document valid for a schema. */
export function isValidFor(schema: GraphQLSchema, { document, operation }: RepositoryDocument) {
  const root = {
    [OperationTypeNode.QUERY]: schema.getQueryType(),
    [OperationTypeNode.MUTATION]: schema.getMutationType(),
    [OperationTypeNode.SUBSCRIPTION]: schema.getSubscriptionType(),
  }[operation.operation]
  return Boolean(root) && validate(schema, document).length === 0
}

type Read = { file: string; definitions: DocumentNode['definitions'] }

function read(checkout: string, pattern: string, textsIn: (text: string) => string[]): Read[] {
  const files = globSync(pattern, {
    cwd: checkout,
    exclude: (path) => LEFT_OUT.has(basename(path)),
  })
  return files.sort().flatMap((file) => {
    const path = join(checkout, file)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats?.isFile() || stats.size > MAX_FILE_BYTES) return []
    return textsIn(readFileSync(path, 'utf8')).flatMap((text) => {
      const definitions = parsed(text)
      return definitions ? [{ file, definitions }] : []
    })
  })
}

/**
 * The templates of a program that begin as GraphQL does, whatever tag or function takes them: packages that compile programs know
 * neither a project's own tags nor each language. A template that is put in is a fragment, which is looked up by its name.
 */
function templatesIn(program: string): string[] {
  return [...program.matchAll(TEMPLATE)].map(([, text = '']) => text.replace(/\$\{[^}]*\}/g, ''))
}

const TEMPLATE = /`(\s*(?:#[^\n`]*\s*)*(?:query|mutation|subscription|fragment)\b[^`]*)`/g

/** Undefined for what is no GraphQL, such as a template that a program completes. */
function parsed(text: string): DocumentNode['definitions'] | undefined {
  try {
    return parse(text, { noLocation: true }).definitions
  } catch {
    return undefined
  }
}

function withFragments(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): DocumentNode {
  const used = new Map<string, FragmentDefinitionNode>()
  collect(operation)
  return { kind: Kind.DOCUMENT, definitions: [operation, ...used.values()] }

  function collect(definition: OperationDefinitionNode | FragmentDefinitionNode) {
    visit(definition, {
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value)
        if (!fragment || used.has(name.value)) return
        used.set(name.value, fragment)
        collect(fragment)
      },
    })
  }
}
