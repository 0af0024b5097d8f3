import { Select, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { CodeBlock } from '../../components/code-block.tsx'
import { settings } from '../../settings/settings.ts'
import { useApp } from '../../team/current-app.tsx'
import { libraryPrograms } from './library-programs.ts'

const PROGRAMS = libraryPrograms()

/** Shows a program or a configuration with sign-in for the chosen library, and its variables with the app's id. */
export function LibraryChoice() {
  const { id } = useApp()
  const [title, setTitle] = useState(PROGRAMS[0]?.title ?? null)
  const program = PROGRAMS.find((candidate) => candidate.title === title)
  const variables = `export ISSUER=${settings.authUrl} CLIENT_ID=${id} CLIENT_SECRET=… \\
  PORT=4000 SESSION_SECRET=$(openssl rand -hex 32)`
  return (
    <Stack component="section">
      <Title order={2} size="h4">
        Your website
      </Title>
      <Select
        label="Library"
        maw={360}
        data={PROGRAMS.map((candidate) => candidate.title)}
        value={title}
        onChange={setTitle}
        allowDeselect={false}
      />
      {program && (
        <>
          <Text>
            For development, add the redirect URI {program.redirectUri}. The program reads its
            settings from these variables:
          </Text>
          <CodeBlock text={variables} label="variables" />
          <CodeBlock text={program.text} label={program.title} />
        </>
      )}
    </Stack>
  )
}
