import { Group, Stack } from '@mantine/core'
import { generatePath, useNavigate } from 'react-router'
import { ConfirmChange } from '../../../components/confirm-change.tsx'
import { DeleteActionDocument } from '../../../graphql/generated/graphql.ts'
import { request } from '../../../graphql/request.ts'
import { PAGE_PATHS } from '../../../settings/page-paths.ts'
import { useApp } from '../../../team/current-app.tsx'
import type { Action } from '../action.ts'
import { ActionForm } from './action-form.tsx'

export function ActionSettings({ action }: { action: Action }) {
  const { id: appId, team_id: teamId } = useApp()
  const navigate = useNavigate()
  const { id } = action
  return (
    <Stack gap="xl">
      <ActionForm action={action} />
      <Group>
        <ConfirmChange
          label="Delete"
          title={`Delete ${action.action}?`}
          consequences="This cannot be undone. All counts of this action are deleted. In a new action with the same identifier, each person can verify again."
          requiredText={action.action}
          toast="Action deleted."
          change={(_, signal) => request(DeleteActionDocument, { id }, signal)}
          onDone={() => navigate(generatePath(PAGE_PATHS.actions, { teamId, appId }))}
          button={{ variant: 'outline', color: 'red' }}
        />
      </Group>
    </Stack>
  )
}
