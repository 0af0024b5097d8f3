import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { z } from 'zod'
import { errorCode } from '../../../../lib/runtime/error-code.ts'
import { isList } from '../../json/record.ts'
import { type DocumentPath, parseIgnoringKeys } from '../ignored-keys.ts'
import { Metadata } from '../metadata.ts'
import { describePlace } from './describe-place.ts'
import { mergeActions } from './merge-actions.ts'
import { readYaml } from './yaml.ts'

/** The metadata folder cannot be read; the message names the file and the fault. */
class MetadataError extends Error {
  override readonly name = 'MetadataError'
}

/** Metadata from a folder, with a warning for each ignored key. */
export type LoadedMetadata = { metadata: Metadata; warnings: readonly string[] }

/**
 * Reads a project's metadata folder in the layout of the Hasura CLI (config v3), and follows `!include`.
 *
 * @throws MetadataError
 */
export async function readMetadata(folder: string): Promise<LoadedMetadata> {
  return checkMetadata(folder, await readMetadataDocument(folder))
}

/** Checks the result of `readMetadataDocument`, and fills in defaults. @throws MetadataError */
export function checkMetadata(folder: string, document: Record<string, unknown>): LoadedMetadata {
  const { result, ignoredKeys } = parseIgnoringKeys(Metadata, document)
  const place = (path: DocumentPath) =>
    describePlace(document, path, (value) => relativeFile(folder, value))
  if (!result.success) {
    const faults = result.error.issues.map(furthestIssue)
    throw new MetadataError(
      faults.map(({ path, message }) => `${place(path)}: ${message}`).join('\n'),
    )
  }
  const warnings = ignoredKeys.map((path) => `${place(path)} is ignored: Hasura has no such key`)
  return { metadata: result.data, warnings }
}

/**
 * Returns the deepest issue among the alternatives of a union, because the value fits the alternative with this issue
 * best.
 */
function furthestIssue(issue: z.core.$ZodIssue): { path: DocumentPath; message: string } {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return issue
  const all = issue.errors.flat().map(furthestIssue)
  const [furthest] = all.sort((a, b) => b.path.length - a.path.length)
  return furthest ? { ...furthest, path: [...issue.path, ...furthest.path] } : issue
}

/** The file that each value was read from, for messages. */
const files = new WeakMap<object, string>()

function relativeFile(folder: string, value: unknown): string | undefined {
  const file = typeof value === 'object' && value !== null ? files.get(value) : undefined
  return file && relative(folder, file)
}

/** Reads the folder as a single JSON document. Adds no defaults, because an export must not contain them. */
export async function readMetadataDocument(folder: string): Promise<Record<string, unknown>> {
  refuseMissing(folder)
  refuseOlderLayout(folder)
  const readInFolder = (file: string) => readYamlFile(join(folder, file))
  const parts = await Promise.all(
    Object.entries(METADATA_FILES).map(
      async ([key, file]) => [key, await readInFolder(file)] as const,
    ),
  )
  const actions = mergeActions(
    await readInFolder('actions.yaml'),
    await readFileIfExists(join(folder, 'actions.graphql')),
  )
  const entries = [...parts, ...Object.entries(actions)].filter(([, part]) => part != null)
  return { version: 3, ...Object.fromEntries(entries) }
}

/**
 * Rejects a missing folder. If the name of the folder were mistyped, the engine would otherwise replace the served
 * metadata with empty metadata.
 */
function refuseMissing(folder: string) {
  if (!existsSync(folder))
    throw new MetadataError(
      `the metadata folder ${folder} is missing: create it, or set metadata_directory in config.yaml`,
    )
}

/** Rejects a folder of config v2. The engine would otherwise read it as a folder without tracked tables. */
function refuseOlderLayout(folder: string) {
  const has = (file: string) => existsSync(join(folder, file))
  if (has('tables.yaml') && !has(METADATA_FILES.sources))
    throw new MetadataError(
      `${folder} has the layout of config v2 (tables.yaml, no databases/): convert it to config v3 with "hasura scripts update-project-v3"`,
    )
}

/** The file for each part of the document. Actions are in two other files, `actions.yaml` and `actions.graphql`. */
export const METADATA_FILES = {
  sources: 'databases/databases.yaml',
  cron_triggers: 'cron_triggers.yaml',
  inherited_roles: 'inherited_roles.yaml',
  query_collections: 'query_collections.yaml',
  allowlist: 'allow_list.yaml',
  rest_endpoints: 'rest_endpoints.yaml',
  remote_schemas: 'remote_schemas.yaml',
  api_limits: 'api_limits.yaml',
  graphql_schema_introspection: 'graphql_schema_introspection.yaml',
  network: 'network.yaml',
  metrics_config: 'metrics_config.yaml',
  opentelemetry: 'opentelemetry.yaml',
  backend_configs: 'backend_configs.yaml',
} as const

async function readYamlFile(file: string): Promise<unknown> {
  const text = await readFileIfExists(file)
  if (text === null) return null
  const content = await resolveIncludes(parseYaml(file, text), dirname(file))
  if (typeof content === 'object' && content !== null) files.set(content, file)
  return content
}

async function readFileIfExists(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return null
    throw new MetadataError(`${file} cannot be read`, { cause })
  }
}

function parseYaml(file: string, text: string): unknown {
  try {
    return readYaml(text)
  } catch (cause) {
    throw new MetadataError(`${file}: ${cause instanceof Error ? cause.message : 'bad YAML'}`, {
      cause,
    })
  }
}

const INCLUDE = /^!include\s+(.+)$/

/**
 * Replaces each `!include` in a value by the content of the file. On Windows, the CLI writes paths with backslashes.
 */
async function resolveIncludes(value: unknown, folder: string): Promise<unknown> {
  const files = [...new Set(includedFiles(value))]
  const contents = files.map(
    async (file) =>
      [file, await readIncludedFile(join(folder, file.replaceAll('\\', '/')))] as const,
  )
  return insertIncludes(value, new Map(await Promise.all(contents)))
}

async function readIncludedFile(file: string): Promise<unknown> {
  const content = await readYamlFile(file)
  if (content === null) throw new MetadataError(`${file} is included but missing`)
  return content
}

function includedFiles(value: unknown): string[] {
  if (typeof value === 'string') return INCLUDE.exec(value)?.slice(1) ?? []
  if (value === null || typeof value !== 'object') return []
  return Object.values<unknown>({ ...value }).flatMap(includedFiles)
}

function insertIncludes(value: unknown, files: ReadonlyMap<string, unknown>): unknown {
  if (files.size === 0) return value
  if (typeof value === 'string') {
    const file = INCLUDE.exec(value)?.[1]
    return file === undefined ? value : files.get(file)
  }
  if (isList(value)) return value.map((item) => insertIncludes(item, files))
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries<unknown>({ ...value }).map(([key, item]) => [
    key,
    insertIncludes(item, files),
  ])
  return Object.fromEntries(entries)
}
