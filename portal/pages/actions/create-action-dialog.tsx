import { Code, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { generatePath, useNavigate } from 'react-router'
import { CREDENTIALS_OF_NEW_ACTION } from '../../../lib/proof/protocol-4/credentials.ts'
import { ChangeForm } from '../../components/change-form.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { useInputForm } from '../../components/use-input-form.ts'
import { CreateActionDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { PAGE_PATHS } from '../../settings/page-paths.ts'
import { useApp } from '../../team/current-app.tsx'
import { ActionFields } from '../action/settings/action-fields.tsx'
import { NewAction, withoutVainRepeat } from '../action/settings/action-input.ts'
import { identifierFrom } from '../action/settings/identifier.ts'

/** Creates an action and opens its page. */
export function CreateActionDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  return (
    <FormDialog isOpen={isOpen} onClose={onClose} title="Create an action">
      <CreateActionForm />
    </FormDialog>
  )
}

function CreateActionForm() {
  const { id: app_id, team_id: teamId } = useApp()
  const navigate = useNavigate()
  const form = useInputForm(NewAction, NO_ACTION)
  const [isOwnIdentifier, setIsOwnIdentifier] = useState(false)
  const { values } = form
  const identifier = values.action.trim()
  return (
    <ChangeForm
      form={form}
      label="Create the action"
      change={(action) => request(CreateActionDocument, { object: { app_id, ...action } })}
      onDone={({ insert_action_one: action }) =>
        action &&
        navigate(generatePath(PAGE_PATHS.action, { teamId, appId: app_id, actionId: action.id }))
      }
    >
      <TextInput
        label="Name"
        description="Wallets can show this name to people who verify."
        placeholder="Vote 2026"
        data-autofocus
        {...form.getInputProps('name')}
        onChange={({ currentTarget: { value: name } }) =>
          form.setValues(isOwnIdentifier ? { name } : { name, action: identifierFrom(name) })
        }
      />
      <TextInput
        label="Identifier"
        description="Your website uses it to ask for a proof. It cannot be changed later."
        placeholder="vote-2026"
        {...form.getInputProps('action')}
        onChange={({ currentTarget: { value } }) => {
          setIsOwnIdentifier(value !== '')
          form.setFieldValue('action', value)
        }}
      />
      {identifier !== '' && (
        <Text size="sm">
          Your website uses <Code style={{ whiteSpace: 'pre-wrap' }}>{identifier}</Code>
        </Text>
      )}
      <ActionFields form={form} />
    </ChangeForm>
  )
}

const NO_ACTION = withoutVainRepeat({
  action: '',
  name: '',
  description: '',
  protocol: '3.0' as const,
  max_verifications: '1',
  allows_repeat: false,
  credentials: [...CREDENTIALS_OF_NEW_ACTION],
  return_url: '',
  status: true,
})
