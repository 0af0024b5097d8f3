import { Alert, Select, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { CodeBlock } from '../../components/code-block.tsx'
import { settings } from '../../settings/settings.ts'
import { useApp } from '../../team/current-app.tsx'
import { useSignInClient } from './client.ts'
import { type LibraryProgram, libraryPrograms } from './library-programs.ts'

/** Shows a program or a configuration with sign-in for the chosen library, and the commands that start it. */
export function LibraryChoice() {
  const { id: clientId } = useApp()
  const programs = libraryPrograms({ issuer: settings.authUrl, clientId })
  const [title, setTitle] = useState(programs[0]?.title ?? null)
  const program = programs.find((candidate) => candidate.title === title)
  return (
    <Stack component="section">
      <Title order={2} size="h4">
        Your website
      </Title>
      <Select
        label="Library"
        maw={360}
        data={programs.map((candidate) => candidate.title)}
        value={title}
        onChange={setTitle}
        allowDeselect={false}
      />
      {program && <LibraryFiles program={program} />}
    </Stack>
  )
}

function LibraryFiles({ program }: { program: LibraryProgram }) {
  const { data: client } = useSignInClient()
  return (
    <>
      {client && client.isPublic !== program.isPublic && <WrongClient program={program} />}
      <Text>
        For development, add the redirect URI {program.redirectUri}. Save this file, and run the
        commands in its folder:
      </Text>
      <Stack gap={4}>
        <Text fw={600} ff="monospace" size="sm">
          {program.file}
        </Text>
        <CodeBlock text={program.text.trim()} label={program.title} />
      </Stack>
      <CodeBlock text={program.commands} label="commands" />
    </>
  )
}

function WrongClient({ program: { isPublic } }: { program: LibraryProgram }) {
  return (
    <Alert color="orange" title="This program needs another kind of client">
      {isPublic
        ? 'A single page cannot keep a secret. Press “Use without a secret” first.'
        : 'This app has no secret, but the program needs one. Make a new secret first.'}
    </Alert>
  )
}
