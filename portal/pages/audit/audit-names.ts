import { useQuery } from '@tanstack/react-query'
import { generatePath } from 'react-router'
import { AuditNamesDocument, type AuditNamesQuery } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { PAGE_PATHS } from '../../settings/page-paths.ts'
import { useTeam } from '../../team/current-team.tsx'
import type { Entry } from './audit-query.ts'
import { parseChanges } from './changes.ts'

/** The name of a thing, and the address of its page if it has one. */
export type NamedThing = { name: string; path?: string }

/** The names of things by id. Lacks things that are deleted, and things of other teams. */
export type Names = ReadonlyMap<string, NamedThing>

/** Reads the names of everything that the entries name by id. */
export function useAuditNames(entries: readonly Entry[]): Names {
  const { id: team_id } = useTeam()
  const ids = idsIn(entries)
  const { data } = useQuery({
    queryKey: ['audit-names', team_id, ids],
    queryFn: () => readAuditNames(team_id, ids),
    enabled: ids.length > 0,
    placeholderData: (previous) => previous,
  })
  return data ?? new Map()
}

/** Reads the names of everything that the entries of a file name by id. */
export function readNamesOf(team_id: string, entries: readonly Entry[]): Promise<Names> {
  return readAuditNames(team_id, idsIn(entries))
}

/** The columns whose values are ids. */
const ID_COLUMNS = new Set(['app_id', 'user_id'])

function idsIn(entries: readonly Entry[]): string[] {
  const ids = entries.flatMap(({ actor_id, subject_id, changes }) => [
    actor_id,
    subject_id,
    ...Object.entries(parseChanges(changes)).flatMap(([column, values]) =>
      ID_COLUMNS.has(column) ? [values.old, values.new] : [],
    ),
  ])
  return [...new Set(ids.filter((id) => typeof id === 'string'))].sort()
}

async function readAuditNames(team_id: string, ids: readonly string[]): Promise<Names> {
  return auditNamesIn(await request(AuditNamesDocument, { team_id, ids: [...ids] }), team_id)
}

function auditNamesIn(data: AuditNamesQuery, teamId: string): Names {
  const names = new Map<string, NamedThing>()
  const members = generatePath(PAGE_PATHS.members, { teamId })
  names.set(teamId, { name: 'this team', path: generatePath(PAGE_PATHS.teamSettings, { teamId }) })
  for (const { id, name } of data.app)
    names.set(id, { name, path: generatePath(PAGE_PATHS.app, { teamId, appId: id }) })
  for (const { id, app_id: appId, action, name } of data.action)
    names.set(id, {
      name: name || action || 'sign-in',
      path: generatePath(PAGE_PATHS.action, { teamId, appId, actionId: id }),
    })
  for (const { id, user } of data.membership) {
    names.set(id, { name: user.name, path: members })
    names.set(user.id, { name: user.name, path: members })
  }
  for (const { id, name } of data.api_key)
    names.set(id, { name, path: generatePath(PAGE_PATHS.keys, { teamId }) })
  for (const { id, app_id: appId, redirect_uri: name } of data.redirect)
    names.set(id, { name, path: generatePath(PAGE_PATHS.signIn, { teamId, appId }) })
  for (const { id, app_id: appId, reference: name } of data.transaction) {
    const path = generatePath(PAGE_PATHS.payments, { teamId, appId })
    names.set(id, { name, path: `${path}?search=${encodeURIComponent(name)}` })
  }
  return names
}
