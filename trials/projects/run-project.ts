import { isList, isRecord, memberAt } from '../../packages/engine/json/record.ts'
import { compareMetadata } from '../../packages/engine/project/compare-metadata.ts'
import { serverAt } from '../differential/servers/graphql-server.ts'
import { runCommand, type Served, startDev } from './engine-commands.ts'
import type { FoundProject } from './find-projects.ts'
import { databasesFor, type GivenServer } from './given-databases.ts'
import { copyProject, type ProjectCopy, readDocument } from './project-copy.ts'
import { askRole, type RoleAnswers } from './questions/ask-role.ts'
import { collectDocuments } from './questions/documents.ts'
import { ADMIN_SECRET, roleSession } from './questions/role-session.ts'
import { relationNames } from './relation-names.ts'
import { type Outcome, sizeOf, type Unserved } from './report/outcome.ts'
import { isOwnFault } from './report/own-faults.ts'

/**
 * Runs one project as its author would; on the given PostgreSQL where the embedded one cannot hold it. What goes wrong here is a failure
 * of the project's run, so that the others are run, too.
 */
export async function runProject(
  project: FoundProject,
  databaseUrl: string | undefined,
): Promise<Outcome> {
  const embedded = await runOn(project, null)
  if (!databaseUrl || !isFailureLike(embedded, NEEDS_MORE)) return embedded
  const given = await runOn(project, { url: databaseUrl, image: 'postgres' })
  if (!isFailureLike(given, NEEDS_POSTGIS)) return given
  return runOn(project, { url: databaseUrl, image: 'postgis' })
}

function isFailureLike(outcome: Outcome, pattern: RegExp): boolean {
  return 'failure' in outcome && pattern.test(outcome.failure)
}

/** What PostGIS's images have made in a new database. */
const NEEDS_POSTGIS = /(geography|geometry|fuzzystrmatch|postgis).* does not exist/

/** An extension that is not there, or what only a superuser may do. */
const NEEDS_MORE = new RegExp(
  `extension|permission denied|must be owner|superuser|${NEEDS_POSTGIS.source}`,
)

async function runOn(project: FoundProject, server: GivenServer | null): Promise<Outcome> {
  const copy = await copyProject(project).catch(describeFailure)
  if (typeof copy === 'string')
    return { name: project.name, size: '', isGiven: server !== null, failure: copy }
  const about = { name: project.name, size: sizeOf(copy.document), isGiven: server !== null }
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

/** @throws Error with what `dev` says where it does not start */
async function serveCopy(project: FoundProject, copy: ProjectCopy, server: GivenServer | null) {
  const given = server ? await databasesFor(copy.folder, server) : null
  const words = ['--admin-secret', ADMIN_SECRET, ...(given ? ['--database-url', given.url] : [])]
  try {
    // `check` makes a database of the migrations on the embedded PostgreSQL.
    const check = given ? null : await runCommand(copy.folder, ['check'])
    const served = await startDev(copy.folder, { words, variables: given?.variables ?? {} })
    try {
      return { check, ...(await questionServed(project, copy, served)) }
    } finally {
      await served.stop()
    }
  } finally {
    await given?.remove()
  }
}

/** Everything that is asked of a project that is served. */
async function questionServed(project: FoundProject, copy: ProjectCopy, served: Served) {
  const server = { ...serverAt(served.url, ADMIN_SECRET), url: served.url }
  const documents = collectDocuments(project.checkout)
  const roles: (RoleAnswers & { role: string })[] = []
  for (const role of rolesOf(copy.document))
    roles.push({ role, ...(await askRole(server, roleSession(role, copy.document), documents)) })
  return {
    unserved: await unservedObjects(server, served),
    exported: await compareExport(copy, served),
    failedSeed: /^.*No seeds applied/m.exec(served.said())?.[0] ?? null,
    found: documents.length,
    roles,
  }
}

async function unservedObjects(
  server: ReturnType<typeof serverAt>,
  { databaseUrl }: Served,
): Promise<Unserved[]> {
  const request = { type: 'get_inconsistent_metadata', args: {} }
  const { body } = await server.post('/v1/metadata', request)
  const objects =
    isRecord(body) && isList(body.inconsistent_objects) ? body.inconsistent_objects : []
  const listed = objects.filter(isRecord).map(({ name, type, reason }) => ({
    name: String(name ?? type),
    type: String(type),
    reason: String(reason),
  }))
  const relations = await relationNames(databaseUrl)
  const isOwn = listed.map((object) => isOwnFault(object, relations))
  return listed.map((object, i) => ({
    ...object,
    isOwn:
      isOwn[i] === true || (DEPENDENT.test(object.type + object.reason) && isOwn.includes(true)),
  }))
}

/** Objects that are not served because others are not. */
const DEPENDENT = /query_collection|rest_endpoint|custom types are inconsistent/

/** What `export` changes of the metadata; an empty text where it says the same. */
async function compareExport({ folder, document }: ProjectCopy, { url }: Served): Promise<string> {
  const words = ['export', '--endpoint', url, '--admin-secret', ADMIN_SECRET]
  const { code, said } = await runCommand(folder, words)
  const exported = await readDocument(folder)
  if (code !== 0 || !exported || !document) return `export failed: ${said}`
  return compareMetadata({ name: 'before', document }, { name: 'exported', document: exported })
}

/** The roles of permissions and of inheritance, and admin, in order; without those that may not introspect. */
function rolesOf(document: Record<string, unknown> | null): string[] {
  const roles = new Set(['admin'])
  const silent = JSON.stringify(
    memberAt(document?.graphql_schema_introspection, 'disabled_for_roles') ?? [],
  )
  collectRoles(document)
  return [...roles].filter((role) => !silent.includes(JSON.stringify(role))).sort()

  function collectRoles(value: unknown): void {
    if (isList(value)) value.forEach(collectRoles)
    if (!isRecord(value)) return
    if (typeof value.role === 'string') roles.add(value.role)
    if (typeof value.role_name === 'string') roles.add(value.role_name)
    Object.values(value).forEach(collectRoles)
  }
}
