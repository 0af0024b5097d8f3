import { Anchor, Stack, TextInput, Title } from '@mantine/core'
import { generatePath, Link } from 'react-router'
import { z } from 'zod'
import { Copyable } from '../../components/copyable.tsx'
import { enteredName } from '../../components/entered-texts.ts'
import { PageTitle } from '../../components/page-title.tsx'
import { RowForm } from '../../components/row-form/row-form.tsx'
import { useRowForm } from '../../components/row-form/use-row-form.ts'
import { RenameTeamDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { PAGE_PATHS } from '../../settings/page-paths.ts'
import { useAllowed, useTeam } from '../../team/current-team.tsx'
import { DeleteTeam } from './delete-team.tsx'

export function TeamSettingsPage() {
  const { id } = useTeam()
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
        <section>
          <Title order={2} size="h4" mb="xs">
            Archived apps
          </Title>
          <Anchor
            component={Link}
            to={`${generatePath(PAGE_PATHS.apps, { teamId: id })}?show=archived`}
          >
            See the archived apps
          </Anchor>
        </section>
        {useAllowed('deleteTeam') && <DeleteTeam />}
      </Stack>
    </>
  )
}

const Input = z.object({ name: enteredName }).partial()

function RenameForm() {
  const { id, name } = useTeam()
  const rowForm = useRowForm({ row: { name }, toValues: (row) => row, schema: Input })
  return (
    <RowForm
      rowForm={rowForm}
      words={{ name: { label: 'Team name' } }}
      update={async ({ set, where }) => {
        const { update_team: outcome } = await request(RenameTeamDocument, { id, set, where })
        return outcome?.affected_rows ?? 0
      }}
      label="Save"
      toast="Team renamed."
    >
      <TextInput label="Team name" {...rowForm.form.getInputProps('name')} />
    </RowForm>
  )
}
