import { z } from 'zod'
import { MetadataName, QualifiedName as Qualified } from '../metadata/shared.ts'
import { shortKey } from '../postgres/catalog.ts'
import type { Node, Place } from './node.ts'
import { parseArgs } from './parse-args.ts'
import { type Refusal, refuseEntry } from './refusals.ts'

/** Metadata as its author wrote it: an export must not contain the defaults that the engine fills in. */
export const Document = z.looseObject({})
/** A whole document. */
export type Document = z.infer<typeof Document>

/** The metadata of a new engine: its database as the source `default`, in which nothing is tracked. */
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

/** An empty document, which keeps only the connection of the source `default`, if there is one. */
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

/** Changes the entries of a list; a list that is empty afterwards is removed. */
export function edit({ owner, list }: Place, change: (entries: Node[]) => Node[]) {
  const entries = change(nodesOf(owner, list))
  if (entries.length > 0 || REQUIRED.has(list)) owner[list] = entries
  else delete owner[list]
}

/** The entry with this key. @throws not-exists, or for an entry that is to be dropped, the error for that */
export function find(place: Place, key: string, why: Refusal = 'missing'): Node {
  const entries = nodesOf(place.owner, place.list)
  const entry = entries.find((candidate) => place.keyOf(candidate) === key)
  // `nodesOf` has copied the entries, and the caller may change what it gets: so the document must have the copies.
  place.owner[place.list] = entries
  if (entry) return entry
  throw refuseEntry(why, place, key)
}

/** Whether there is an entry with this key. */
export function has({ owner, list, keyOf }: Place, key: string): boolean {
  return nodesOf(owner, list).some((entry) => keyOf(entry) === key)
}

/** Lists that are kept when they are empty. */
const REQUIRED: ReadonlySet<string> = new Set(['sources', 'tables', 'queries'])

const Entries = z.array(z.record(z.string(), z.unknown())).nullish()

/** Copies of the entries of a list. */
export function nodesOf(owner: Node, list: string): Node[] {
  return parseArgs(Entries, owner[list] ?? [], '$') ?? []
}

const Source = z.object({ source: z.string().default('default') })

/** The source that a command names, `default` if none. */
export function sourceOf(document: Document, args: unknown): Node {
  const { source } = parseArgs(Source, args)
  return find({ owner: document, list: 'sources', keyOf: named('name') }, source)
}

/** Reads a table's or function's name, short or qualified, as one text that can be compared. */
export const QualifiedName = Qualified.transform(({ schema, name }) => `${schema}.${name}`)

/** The key (`keyOf` in catalog.ts) of a table or function with this name; empty if it is no name. */
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

/** Reads an entry's key. Entries of the document have one, but arguments may lack it. @throws parse-failed */
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
