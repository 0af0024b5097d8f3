const ALL_ROLES = ['OWNER', 'ADMIN', 'MEMBER'] as const

/** A user's role in a team. */
export type Role = (typeof ALL_ROLES)[number]

/** Returns the role with this name; null for an unknown name. */
export function parseRole(name: string | undefined): Role | null {
  return ALL_ROLES.find((role) => role === name) ?? null
}

/** The roles that have each permission, as in hasura/metadata. Pages use them to hide the buttons that a role may not use. */
const ROLES = {
  renameTeam: ['OWNER'],
  deleteTeam: ['OWNER'],
  createApp: ['OWNER', 'ADMIN'],
  changeApp: ['OWNER', 'ADMIN'],
  changeArchivedApp: ['OWNER'],
  archiveApp: ['OWNER'],
  changeRequestKey: ['OWNER', 'ADMIN'],
  changeAction: ['OWNER', 'ADMIN'],
  enterPayment: ['OWNER', 'ADMIN'],
  readKeys: ['OWNER', 'ADMIN'],
  changeKeys: ['OWNER'],
  invite: ['OWNER'],
  changeMembers: ['OWNER'],
  readAudit: ['OWNER'],
} as const satisfies Record<string, readonly Role[]>

/** An operation that only some roles may do. */
export type Permission = keyof typeof ROLES

/** Returns whether a role has a permission. */
export function isAllowed(role: Role, permission: Permission): boolean {
  const roles: readonly Role[] = ROLES[permission]
  return roles.includes(role)
}
