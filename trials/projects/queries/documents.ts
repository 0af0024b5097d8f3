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
  file: string
  operation: OperationDefinitionNode
  document: DocumentNode
}

const GRAPHQL_FILES = '**/*.{graphql,gql}'
const PROGRAM_FILES = '**/*.{ts,tsx,mts,js,jsx,mjs,cjs,vue,svelte,astro}'

const EXCLUDED_FOLDERS = new Set(['node_modules', '.git', 'dist', 'build', '.next', 'vendor'])

/** Larger files are skipped, because nearly all of them are generated or minified. */
const MAX_FILE_BYTES = 500_000

/**
 * Collects the distinct operations in a repository's GraphQL files and in the templates of its programs. Looks up fragments by name in
 * the whole repository, as the repository's tools do.
 */
export function collectDocuments(checkout: string): RepositoryDocument[] {
  const texts = [
    ...readDefinitions(checkout, GRAPHQL_FILES, (text) => [text]),
    ...readDefinitions(checkout, PROGRAM_FILES, templatesIn),
  ]
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const { definitions } of texts)
    for (const definition of definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION)
        fragments.set(definition.name.value, definition)
  const documents = texts.flatMap(({ file, definitions }) =>
    definitions
      .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
      .map((operation) => ({ file, operation, document: withFragments(operation, fragments) })),
  )
  return [...new Map(documents.map((item) => [print(item.document), item])).values()]
}

/** Reports whether a document is valid for a schema by graphql-js. */
export function isValidFor(schema: GraphQLSchema, { document, operation }: RepositoryDocument) {
  const root = {
    [OperationTypeNode.QUERY]: schema.getQueryType(),
    [OperationTypeNode.MUTATION]: schema.getMutationType(),
    [OperationTypeNode.SUBSCRIPTION]: schema.getSubscriptionType(),
  }[operation.operation]
  return Boolean(root) && validate(schema, document).length === 0
}

type FileDefinitions = { file: string; definitions: DocumentNode['definitions'] }

function readDefinitions(
  checkout: string,
  pattern: string,
  textsIn: (text: string) => string[],
): FileDefinitions[] {
  const files = globSync(pattern, {
    cwd: checkout,
    exclude: (path) => EXCLUDED_FOLDERS.has(basename(path)),
  })
  return files.sort().flatMap((file) => {
    const path = join(checkout, file)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats?.isFile() || stats.size > MAX_FILE_BYTES) return []
    return textsIn(readFileSync(path, 'utf8')).flatMap((text) => {
      const definitions = parseDefinitions(text)
      return definitions ? [{ file, definitions }] : []
    })
  })
}

/**
 * Finds the templates of a program that begin like a GraphQL document, with any tag or function. Packages that parse programs do not know
 * a project's own tags, nor every language. Removes `${…}`: it inserts a fragment, and fragments are looked up by name.
 */
function templatesIn(program: string): string[] {
  return [...program.matchAll(TEMPLATE)].map(([, text = '']) => text.replace(/\$\{[^}]*\}/g, ''))
}

const TEMPLATE = /`(\s*(?:#[^\n`]*\s*)*(?:query|mutation|subscription|fragment)\b[^`]*)`/g

/** Parses a text; undefined if it is not GraphQL, for example because the program adds more text to it. */
function parseDefinitions(text: string): DocumentNode['definitions'] | undefined {
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
  const usedFragments = new Map<string, FragmentDefinitionNode>()
  collect(operation)
  return { kind: Kind.DOCUMENT, definitions: [operation, ...usedFragments.values()] }

  function collect(definition: OperationDefinitionNode | FragmentDefinitionNode) {
    visit(definition, {
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value)
        if (!fragment || usedFragments.has(name.value)) return
        usedFragments.set(name.value, fragment)
        collect(fragment)
      },
    })
  }
}
