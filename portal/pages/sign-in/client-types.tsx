import { Badge, Card, Code, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { grantTypesOf, RESPONSE_TYPES } from '../../../oidc/clients/response-types.ts'
import { Loaded } from '../../components/loaded.tsx'
import { type Client, useSignInClient } from './client.ts'
import {
  GRANT_TYPES_IN_WORDS,
  grantTypesInWords,
  RESPONSE_TYPES_IN_WORDS,
} from './types-in-words.ts'

/** Lists all response types and grant types, and shows which of them the app may use. */
export function ClientTypes() {
  const query = useSignInClient()
  return (
    <Stack component="section" aria-label="Response types and grant types">
      <Title order={2} size="h4">
        Response and grant types
      </Title>
      <Loaded query={query}>{(client) => <Types {...client} />}</Loaded>
    </Stack>
  )
}

function Types({ isPublic, responseTypes }: Client) {
  const grantTypes = grantTypesOf(responseTypes)
  return (
    <>
      <Text c="dimmed">
        An app created here can use all types below. A client that registered at{' '}
        <Code>/register</Code> can use the types it registered. The types cannot be changed. For
        other types, register another client.{' '}
        {isPublic && 'This is a public client: it has no secret and must use PKCE.'}
      </Text>
      <Title order={3} size="h5">
        Grant types
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {Object.entries(GRANT_TYPES_IN_WORDS).map(([name, words]) => (
          <Type key={name} name={name} isAllowed={grantTypes.includes(name)} words={words} />
        ))}
      </SimpleGrid>
      <Title order={3} size="h5">
        Response types
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {RESPONSE_TYPES.map((name) => (
          <Type
            key={name}
            name={name}
            isAllowed={responseTypes.includes(name)}
            words={RESPONSE_TYPES_IN_WORDS[name]}
            registration={`At /register, use the grant type ${grantTypesInWords(name)}.`}
          />
        ))}
      </SimpleGrid>
    </>
  )
}

type TypeProps = { name: string; isAllowed: boolean; words: string; registration?: string }

function Type({ name, isAllowed, words, registration }: TypeProps) {
  return (
    <Card withBorder padding="md" bg="var(--paper-raised)">
      <Stack gap={6}>
        <Group justify="space-between" wrap="nowrap">
          <Code>{name}</Code>
          <Badge variant="light" color={isAllowed ? 'teal' : 'gray'} style={{ flexShrink: 0 }}>
            {isAllowed ? 'Allowed' : 'Not registered'}
          </Badge>
        </Group>
        <Text size="sm">{words}</Text>
        {registration && (
          <Text size="xs" c="dimmed">
            {registration}
          </Text>
        )}
      </Stack>
    </Card>
  )
}
