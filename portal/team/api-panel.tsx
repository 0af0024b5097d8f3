import { Accordion, Anchor, Group, Stack, Text } from '@mantine/core'
import { generatePath, Link } from 'react-router'
import { CodeBlock } from '../components/code-block.tsx'
import { Copyable } from '../components/copyable.tsx'
import { PAGE_PATHS } from '../settings/page-paths.ts'
import { settings } from '../settings/settings.ts'
import { useTeam } from './current-team.tsx'

type ApiPanelProps = {
  /** A sentence about what the request returns. */
  about: string
  /** A GraphQL request without variables. A test sends it with an API key and with a session. */
  query: string
  /** True if the panel is open at first. */
  isOpen?: boolean
}

/** Shows how a server does what the page does: the address, a request with the ids of this page, and the documentation. */
export function ApiPanel({ about, query, isOpen = false }: ApiPanelProps) {
  return (
    <Accordion
      variant="contained"
      defaultValue={isOpen ? 'api' : null}
      my="lg"
      styles={{ item: { backgroundColor: 'var(--paper-sunken)', transition: 'none' } }}
    >
      <Accordion.Item value="api">
        <Accordion.Control>Use the API</Accordion.Control>
        <Accordion.Panel>
          <Stack gap="sm">
            <Text>{about}</Text>
            <Group gap="xs">
              <Text fw={600}>Address</Text>
              <Copyable text={graphqlUrl()} label="address of the API" />
            </Group>
            <CodeBlock text={query} label="GraphQL request" />
            <Text>With curl, and an API key of your team in the variable API_KEY:</Text>
            <CodeBlock text={curlCommand(query)} label="request with curl" />
            <DocumentationLinks query={query} />
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}

function graphqlUrl(): string {
  return `${location.origin}/v1/graphql`
}

/** Returns a command that sends a request. Single quotes in the request end and begin the shell's quotes again. */
function curlCommand(query: string): string {
  const body = JSON.stringify({ query: query.replaceAll(/\s+/g, ' ') }).replaceAll("'", "'\\''")
  return `curl -sS ${graphqlUrl()} \\
  -H "authorization: Bearer $API_KEY" -H 'content-type: application/json' \\
  -d '${body}'`
}

function DocumentationLinks({ query }: { query: string }) {
  const { id: teamId } = useTeam()
  const explorer = `${generatePath(PAGE_PATHS.graphql, { teamId })}?${new URLSearchParams({ query })}`
  return (
    <Group gap="lg">
      <Anchor component={Link} to={explorer}>
        Run this request
      </Anchor>
      <Anchor component={Link} to={generatePath(PAGE_PATHS.keys, { teamId })}>
        API keys
      </Anchor>
      <Anchor href="/docs">API reference</Anchor>
      <Anchor href={`${settings.authUrl}/docs`}>Sign-in reference</Anchor>
      {settings.guideUrl !== '' && <Anchor href={settings.guideUrl}>Guide</Anchor>}
    </Group>
  )
}
