import { Stack, Tabs, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import indexPage from '../../../examples/verify/index.html?raw'
import { CodeBlock } from '../../components/code-block.tsx'
import type { Program } from './programs-3.ts'

type WebsiteProgramsProps = {
  /** The file page.jsx, and the commands that build it. */
  page: { text: string; commands: string }
  servers: readonly Program[]
  /** The text about the server's needs, apart from its variables. */
  children?: ReactNode
}

/** Shows a website: a page with IDKit, and a server that serves the page and verifies its proofs. */
export function WebsitePrograms({ page, servers, children }: WebsiteProgramsProps) {
  return (
    <>
      <Title order={2} size="h4">
        The page
      </Title>
      <Text>
        Your page asks the person’s wallet for a proof. Save these two files in a new folder, and
        build them. The result is in the folder dist.
      </Text>
      <File name="index.html" text={indexPage.trim()} />
      <File name="page.jsx" text={page.text} />
      <CodeBlock text={page.commands} label="commands for the page" />
      <Title order={2} size="h4">
        The server
      </Title>
      <Text>
        Your server serves the page, and asks the platform to verify each proof. Save the program in
        the same folder, start it, and open http://localhost:3005.
      </Text>
      {children}
      <Tabs defaultValue={servers[0]?.language ?? null}>
        <Tabs.List mb="md">
          {servers.map(({ language }) => (
            <Tabs.Tab key={language} value={language}>
              {language}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {servers.map((server) => (
          <Tabs.Panel key={server.language} value={server.language}>
            <ProgramFile program={server} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  )
}

/** Shows a program with its file name, and its commands. */
export function ProgramFile({ program: { file, text, commands } }: { program: Program }) {
  return (
    <Stack>
      <File name={file} text={text} />
      <CodeBlock text={commands} label={`commands for ${file}`} />
    </Stack>
  )
}

function File({ name, text }: { name: string; text: string }) {
  return (
    <Stack gap={4}>
      <Text fw={600} ff="monospace" size="sm">
        {name}
      </Text>
      <CodeBlock text={text} label={name} />
    </Stack>
  )
}
