import { Group, Stack, Title } from '@mantine/core'
import { ConfirmChange } from '../../components/confirm-change.tsx'
import { Copyable } from '../../components/copyable.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { ChangeAppDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useApp, useMayChangeApp } from '../../team/current-app.tsx'
import { useAllowed } from '../../team/current-team.tsx'
import { AppForm } from './app-form.tsx'
import { RelyingParty } from './relying-party.tsx'

/** The page of an app's settings. */
export function AppPage() {
  const { id } = useApp()
  const mayChange = useMayChangeApp()
  const mayArchive = useAllowed('archiveApp')
  return (
    <>
      <PageTitle title="App settings" />
      <Stack gap="xl">
        <section>
          <Title order={2} size="h4" mb="xs">
            App id
          </Title>
          <Copyable text={id} label="app id" />
        </section>
        <RelyingParty />
        {mayChange && <AppForm />}
        {mayArchive && <ArchiveButton />}
      </Stack>
    </>
  )
}

function ArchiveButton() {
  const { id, name, is_archived } = useApp()
  const archive = (isArchived: boolean) => (_: string, signal: AbortSignal) =>
    request(ChangeAppDocument, { id, set: { is_archived: isArchived } }, signal)
  if (is_archived)
    return (
      <Group>
        <ConfirmChange
          key="restore"
          label="Restore"
          title={`Restore ${name}?`}
          consequences="People can verify and sign in again."
          toast={`${name} restored.`}
          change={archive(false)}
        />
      </Group>
    )
  return (
    <Group>
      <ConfirmChange
        key="archive"
        label="Archive"
        title={`Archive ${name}?`}
        consequences="People can no longer verify or sign in. Counts are kept, and an owner can restore the app."
        toast={`${name} archived.`}
        change={archive(true)}
        button={{ variant: 'outline', color: 'red' }}
      />
    </Group>
  )
}
