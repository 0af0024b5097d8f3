import { Anchor, Stack, Text, TextInput, Title } from '@mantine/core'
import { generatePath, Link } from 'react-router'
import { z } from 'zod'
import { displayName } from '../../../webhooks/route/input-text.ts'
import { ChangeForm } from '../../components/change-form.tsx'
import { Copyable } from '../../components/copyable.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { useInputForm } from '../../components/use-input-form.ts'
import { RenameTeamDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { PAGE_PATHS } from '../../settings/page-paths.ts'
import { useAllowed, useTeam } from '../../team/current-team.tsx'
import { DeleteTeam } from './delete-team.tsx'

export function TeamSettingsPage() {
  const { id, apps } = useTeam()
  const archived = apps.filter((app) => app.is_archived)
  return (
    <>
      <PageTitle title="Team settings" />
      <Stack gap="xl">
        {useAllowed('renameTeam') && <RenameForm />}
        <section>
          <Title order={2} size="h4" mb="xs">
            Team id
          </Title>
          <Copyable text={id} label="team id" />
        </section>
        {archived.length > 0 && (
          <section>
            <Title order={2} size="h4" mb="xs">
              Archived apps
            </Title>
            {archived.map((app) => (
              <Text key={app.id}>
                <Anchor
                  component={Link}
                  to={generatePath(PAGE_PATHS.app, { teamId: id, appId: app.id })}
                >
                  {app.name}
                </Anchor>
              </Text>
            ))}
          </section>
        )}
        {useAllowed('deleteTeam') && <DeleteTeam />}
      </Stack>
    </>
  )
}

function RenameForm() {
  const { id, name } = useTeam()
  const form = useInputForm(z.object({ name: displayName }), { name })
  return (
    <ChangeForm
      form={form}
      change={(values) => request(RenameTeamDocument, { id, ...values })}
      label="Save"
      toast="Team renamed."
    >
      <TextInput label="Team name" {...form.getInputProps('name')} />
    </ChangeForm>
  )
}
