import { Modal } from '@mantine/core'
import { generatePath, useNavigate } from 'react-router'
import { CreateActionDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { PAGE_PATHS } from '../../settings/page-paths.ts'
import { useApp } from '../../team/current-app.tsx'
import { ActionForm } from '../action/action-form.tsx'

/** Creates an action and opens its page. */
export function CreateActionDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const { id: appId, team_id: teamId } = useApp()
  const navigate = useNavigate()
  return (
    <Modal opened={isOpen} onClose={onClose} title="Create an action">
      <ActionForm
        label="Create the action"
        change={(values) => request(CreateActionDocument, { object: { app_id: appId, ...values } })}
        onDone={({ insert_action_one: action }) =>
          action &&
          navigate(generatePath(PAGE_PATHS.action, { teamId, appId, actionId: action.id }))
        }
      />
    </Modal>
  )
}
