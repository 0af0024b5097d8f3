import { isList, isRecord, memberAt } from '../../packages/engine/json/record.ts'
import { compareMetadata } from '../../packages/engine/project/compare-metadata.ts'
import { serverAt } from '../differential/servers/graphql-server.ts'
import { type DevServer, runCommand, startDev } from './engine-commands.ts'
import type { HasuraProject } from './find-projects.ts'
import { copyProject, type ProjectCopy, readDocument } from './project-copy.ts'
import { collectDocuments } from './queries/documents.ts'
import { queryRole, type RoleResults } from './queries/query-role.ts'
import { ADMIN_SECRET, roleSession } from './queries/role-session.ts'
import { relationNames } from './relation-names.ts'
import { describeSize, type Outcome, type Unserved } from './report/outcome.ts'
import { isProjectFault } from './report/project-faults.ts'
import { databasesFor, type PostgresServer } from './server-databases.ts'

/**
 * Runs one project as its author would. If the embedded PostgreSQL lacks an extension or a right for it, uses the PostgreSQL of
 * `databaseUrl`, if there is one. Errors become part of the outcome, so that the other projects run too.
 */
export async function runProject(
  project: HasuraProject,
  databaseUrl: string | undefined,
): Promise<Outcome> {
  const embedded = await runOn(project, null)
  if (!databaseUrl || !isFailureLike(embedded, NEEDS_MORE)) return embedded
  const plain = await runOn(project, { url: databaseUrl, image: 'postgres' })
  if (!isFailureLike(plain, NEEDS_POSTGIS)) return plain
  return runOn(project, { url: databaseUrl, image: 'postgis' })
}

function isFailureLike(outcome: Outcome, pattern: RegExp): boolean {
  return 'failure' in outcome && pattern.test(outcome.failure)
}

/** Errors about objects that the PostGIS images create in a new database. */
const NEEDS_POSTGIS = /(geography|geometry|fuzzystrmatch|postgis).* does not exist/

/** Errors about missing extensions, and about statements that need a superuser. */
const NEEDS_MORE = new RegExp(
  `extension|permission denied|must be owner|superuser|${NEEDS_POSTGIS.source}`,
)

async function runOn(project: HasuraProject, server: PostgresServer | null): Promise<Outcome> {
  const copy = await copyProject(project).catch(describeFailure)
  if (typeof copy === 'string') return { name: project.name, size: '', failure: copy }
  const about = { name: project.name, size: describeSize(copy.document) }
  try {
    return { ...about, ...(await serveCopy(project, copy, server)) }
  } catch (error) {
    return { ...about, failure: describeFailure(error).replaceAll(`${copy.folder}/`, '') }
  } finally {
    copy.remove()
  }
}

function describeFailure(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** @throws Error with the output of `dev` if it does not start */
async function serveCopy(project: HasuraProject, copy: ProjectCopy, server: PostgresServer | null) {
  const databases = server ? await databasesFor(copy.folder, server) : null
  const words = ['--admin-secret', ADMIN_SECRET]
  if (databases) words.push('--database-url', databases.url)
  try {
    // `check` needs the embedded PostgreSQL, where it applies the migrations to a new database.
    const check = databases ? null : await runCommand(copy.folder, ['check'])
    const dev = await startDev(copy.folder, { words, variables: databases?.variables ?? {} })
    try {
      return { check, ...(await queryProject(project, copy, dev)) }
    } finally {
      await dev.stop()
    }
  } finally {
    await databases?.remove()
  }
}

/** Sends every query to a served project, and exports its metadata. */
async function queryProject(project: HasuraProject, copy: ProjectCopy, dev: DevServer) {
  const server = { ...serverAt(dev.url, ADMIN_SECRET), url: dev.url }
  const documents = collectDocuments(project.checkout)
  const roles: (RoleResults & { role: string })[] = []
  for (const role of rolesOf(copy.document))
    roles.push({ role, ...(await queryRole(server, roleSession(role, copy.document), documents)) })
  return {
    unserved: await unservedObjects(server, dev),
    exportChanges: await compareExport(copy, dev),
    failedSeed: /^.*No seeds applied/m.exec(dev.output())?.[0] ?? null,
    documentCount: documents.length,
    roles,
  }
}

async function unservedObjects(
  server: ReturnType<typeof serverAt>,
  { databaseUrl }: DevServer,
): Promise<Unserved[]> {
  const request = { type: 'get_inconsistent_metadata', args: {} }
  const { body } = await server.post('/v1/metadata', request)
  const objects =
    isRecord(body) && isList(body.inconsistent_objects) ? body.inconsistent_objects : []
  const inconsistentObjects = objects.filter(isRecord).map(({ name, type, reason }) => ({
    name: String(name ?? type),
    type: String(type),
    reason: String(reason),
  }))
  const relations = await relationNames(databaseUrl)
  const faults = inconsistentObjects.map((object) => isProjectFault(object, relations))
  return inconsistentObjects.map((object, i) => ({
    ...object,
    isProjectFault:
      faults[i] === true || (DEPENDENT.test(object.type + object.reason) && faults.includes(true)),
  }))
}

/** Objects that can be inconsistent because another object is. */
const DEPENDENT = /query_collection|rest_endpoint|custom types are inconsistent/

/** Describes the changes that `export` makes to the metadata, or its failure; empty if there are none. */
async function compareExport(
  { folder, document }: ProjectCopy,
  { url }: DevServer,
): Promise<string> {
  const words = ['export', '--endpoint', url, '--admin-secret', ADMIN_SECRET]
  const { code, output } = await runCommand(folder, words)
  const exported = await readDocument(folder)
  if (code !== 0 || !exported || !document) return `export failed: ${output}`
  return compareMetadata({ name: 'before', document }, { name: 'exported', document: exported })
}

/** Lists admin and the roles that the metadata names, sorted, without the roles that may not introspect. */
function rolesOf(document: Record<string, unknown> | null): string[] {
  const roles = new Set(['admin'])
  const disabledRoles = JSON.stringify(
    memberAt(document?.graphql_schema_introspection, 'disabled_for_roles') ?? [],
  )
  collectRoles(document)
  return [...roles].filter((role) => !disabledRoles.includes(JSON.stringify(role))).sort()

  function collectRoles(value: unknown): void {
    if (isList(value)) value.forEach(collectRoles)
    if (!isRecord(value)) return
    if (typeof value.role === 'string') roles.add(value.role)
    if (typeof value.role_name === 'string') roles.add(value.role_name)
    Object.values(value).forEach(collectRoles)
  }
}
