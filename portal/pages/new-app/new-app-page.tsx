import { Radio, Stack, TextInput } from '@mantine/core'
import { generatePath, useNavigate } from 'react-router'
import { z } from 'zod'
import { ChangeForm } from '../../components/change-form.tsx'
import { enteredName } from '../../components/entered-texts.ts'
import { PageTitle } from '../../components/page-title.tsx'
import { useInputForm } from '../../components/use-input-form.ts'
import { CreateAppDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { PAGE_PATHS } from '../../settings/page-paths.ts'
import { useTeam } from '../../team/current-team.tsx'
import { RequirePermission } from '../../team/require-permission.tsx'

const Input = z.object({ name: enteredName, environment: z.enum(['staging', 'production']) })

/** The page that creates an app. */
export function NewAppPage() {
  return (
    <RequirePermission permission="createApp" title="Create an app">
      <NewAppContent />
    </RequirePermission>
  )
}

function NewAppContent() {
  const { id: team_id } = useTeam()
  const navigate = useNavigate()
  const form = useInputForm(Input, { name: '', environment: 'staging' })
  return (
    <>
      <PageTitle
        title="Create an app"
        about="An app is your website or program where people verify."
      />
      <ChangeForm
        form={form}
        change={({ name, environment }) =>
          request(CreateAppDocument, {
            object: { name, team_id, is_staging: environment === 'staging' },
          })
        }
        label="Create the app"
        onDone={({ insert_app_one: app }) =>
          app && navigate(generatePath(PAGE_PATHS.actions, { teamId: team_id, appId: app.id }))
        }
      >
        <TextInput
          label="Name"
          description="People see this name when they are asked to verify."
          autoFocus
          {...form.getInputProps('name')}
        />
        <Radio.Group
          label="Who verifies"
          description="This cannot be changed later."
          {...form.getInputProps('environment')}
        >
          <Stack mt="xs">
            <Radio
              value="staging"
              label="Simulated people, for testing"
              description="A staging app. The simulator replaces the wallet."
            />
            <Radio
              value="production"
              label="Real people"
              description="A production app. Only proofs from real people count."
            />
          </Stack>
        </Radio.Group>
      </ChangeForm>
    </>
  )
}
