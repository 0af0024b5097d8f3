import { Anchor, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { generatePath, Link } from 'react-router'
import { PageTitle } from '../components/page-title.tsx'
import { PAGE_PATHS } from '../settings/page-paths.ts'
import { useAllowed, useTeam } from './current-team.tsx'
import type { Permission } from './permissions.ts'

/** Says which roles may open a page. */
const WHO_MAY = {
  readKeys: 'Only owners and admins can see the API keys of this team.',
  readAudit: 'Only owners can see the audit trail of this team.',
  createApp: 'Only owners and admins can create an app in this team.',
} as const satisfies Partial<Record<Permission, string>>

type RequirePermissionProps = {
  permission: keyof typeof WHO_MAY
  /** The title of the page. */
  title: string
  children: ReactNode
}

/** Shows a page to the roles that may open it. Tells other members who may, instead of an empty list. */
export function RequirePermission({ permission, title, children }: RequirePermissionProps) {
  const { id: teamId } = useTeam()
  if (useAllowed(permission)) return children
  return (
    <>
      <PageTitle title={title} />
      <Stack align="flex-start">
        <Text>{WHO_MAY[permission]}</Text>
        <Anchor component={Link} to={generatePath(PAGE_PATHS.members, { teamId })}>
          See the members and their roles
        </Anchor>
      </Stack>
    </>
  )
}
