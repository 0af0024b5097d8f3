import { TextInput } from '@mantine/core'
import { generatePath, useNavigate } from 'react-router'
import { z } from 'zod'
import { ChangeForm } from '../../components/change-form.tsx'
import { enteredName } from '../../components/entered-texts.ts'
import { PageTitle } from '../../components/page-title.tsx'
import { useInputForm } from '../../components/use-input-form.ts'
import { CreateTeamDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { PAGE_PATHS } from '../../settings/page-paths.ts'

export function NewTeamPage() {
  const navigate = useNavigate()
  const form = useInputForm(z.object({ name: enteredName }), { name: '' })
  return (
    <>
      <PageTitle title="Create a team" about="Each team has separate apps, members and keys." />
      <ChangeForm
        form={form}
        change={(values) => request(CreateTeamDocument, values)}
        label="Create the team"
        onDone={({ create_team: { team_id: teamId } }) =>
          navigate(generatePath(PAGE_PATHS.team, { teamId }))
        }
      >
        <TextInput label="Name" autoFocus {...form.getInputProps('name')} />
      </ChangeForm>
    </>
  )
}
