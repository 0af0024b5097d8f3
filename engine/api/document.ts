import { z } from 'zod'
import { shortKey } from '../catalog.ts'
import { MetadataName, QualifiedName as Qualified } from '../metadata/shared.ts'
import { parseArgs } from './parse-args.ts'
import { type Refusal, refuseEntry } from './refusals.ts'

/** Metadata as its author wrote it: the engine's own reading of it fills in defaults, an export must not. */
export const Document = z.looseObject({})
/** A whole document. */
export type Document = z.infer<typeof Document>

/** What there is before anybody has said anything: the engine's own database, nothing of it tracked. */
export const INITIAL: Document = {
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      tables: [],
      configuration: {
        connection_info: { database_url: { from_env: 'HASURA_GRAPHQL_DATABASE_URL' } },
      },
    },
  ],
}

/** A document without anything but its source `default`, if it has one. */
export function cleared(document: Document): Document {
  const sources = nodesOf(document, 'sources').filter(({ name }) => name === 'default')
  return {
    version: 3,
    sources: sources.map(({ name, kind, configuration }) => ({
      name,
      kind,
      tables: [],
      configuration,
    })),
  }
}

/** An object somewhere in a document that may be changed: edits work on a copy. */
export type Node = Record<string, unknown>

/** A list in a document, what tells its entries apart, and the name of what they belong to. */
export type Place = {
  owner: Node
  list: string
  keyOf(entry: Node): string
  of?: string
  /** What refusals call the list, where others have one by its name. */
  told?: string
}

/** Changes the entries of a list; an empty list is not kept. */
export function edit({ owner, list }: Place, change: (entries: Node[]) => Node[]) {
  const entries = change(nodesOf(owner, list))
  if (entries.length > 0 || REQUIRED.has(list)) owner[list] = entries
  else delete owner[list]
}

/** The entry with this key. @throws not-exists, or what is said of one that is to be dropped and is gone */
export function find(place: Place, key: string, why: Refusal = 'missing'): Node {
  const entries = nodesOf(place.owner, place.list)
  const entry = entries.find((candidate) => place.keyOf(candidate) === key)
  // What is found may be changed, so the copies that were made in reading take the place of the originals.
  place.owner[place.list] = entries
  if (entry) return entry
  throw refuseEntry(why, place, key)
}

/** Whether there is an entry with this key. */
export function has({ owner, list, keyOf }: Place, key: string): boolean {
  return nodesOf(owner, list).some((entry) => keyOf(entry) === key)
}

/** Lists that stay when they are empty. */
const REQUIRED: ReadonlySet<string> = new Set(['sources', 'tables', 'queries'])

const Entries = z.array(z.record(z.string(), z.unknown())).nullish()

/** Copies of what a list has. */
export function nodesOf(owner: Node, list: string): Node[] {
  return parseArgs(Entries, owner[list] ?? [], '$') ?? []
}

const Source = z.object({ source: z.string().default('default') })

/** The source that a command names, `default` if none. */
export function sourceOf(document: Document, args: unknown): Node {
  const { source } = parseArgs(Source, args)
  return find({ owner: document, list: 'sources', keyOf: named('name') }, source)
}

/** A table's or function's name, short or qualified, as one text to compare. */
export const QualifiedName = Qualified.transform(({ schema, name }) => `${schema}.${name}`)

/** The key under which a table or function that is named so stands in maps; empty when it is none. */
export function keyIn(name: unknown): string {
  return shortKey(QualifiedName.safeParse(name).data ?? '')
}

/** Reads the entry's key from one of its fields. */
export function named(field: string): (entry: Node) => string {
  return keyed(field, MetadataName)
}

/** Like `named`, for tables and functions. */
export function qualified(field: string): (entry: Node) => string {
  return keyed(field, QualifiedName)
}

/** An entry of the document has its key, as all of the document was read; a command may lack it. @throws parse-failed */
function keyed(field: string, key: z.ZodType<string>): (entry: Node) => string {
  const schema = z.object({ [field]: key })
  return (entry) => parseArgs(schema, entry)[field] ?? ''
}

/** The tracked table that a command names. */
export function tableOf(document: Document, args: unknown): Node {
  const { table } = parseArgs(z.object({ table: QualifiedName }), args)
  const owner = sourceOf(document, args)
  return find({ owner, list: 'tables', keyOf: qualified('table') }, table)
}
