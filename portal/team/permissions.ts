const ALL_ROLES = ['OWNER', 'ADMIN', 'MEMBER'] as const

/** A person's role in a team. */
export type Role = (typeof ALL_ROLES)[number]

/** The role that the platform calls so; null for none. */
export function roleNamed(name: string | undefined): Role | null {
  return ALL_ROLES.find((role) => role === name) ?? null
}

/** Who may do what in a team, as the permissions in hasura/metadata have it; what a role may not do has no button. */
const ROLES = {
  renameTeam: ['OWNER'],
  deleteTeam: ['OWNER'],
  createApp: ['OWNER', 'ADMIN'],
  changeApp: ['OWNER', 'ADMIN'],
  changeArchivedApp: ['OWNER'],
  changeAction: ['OWNER', 'ADMIN'],
  enterPayment: ['OWNER', 'ADMIN'],
  readRedirects: ['OWNER', 'ADMIN'],
  readKeys: ['OWNER', 'ADMIN'],
  changeKeys: ['OWNER'],
  invite: ['OWNER'],
  changeMembers: ['OWNER'],
  readAudit: ['OWNER'],
} as const satisfies Record<string, readonly Role[]>

/** Something that only some roles may do. */
export type Permission = keyof typeof ROLES

/** Whether a role may do it. */
export function isAllowed(role: Role, permission: Permission): boolean {
  const roles: readonly Role[] = ROLES[permission]
  return roles.includes(role)
}
