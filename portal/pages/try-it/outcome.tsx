import { Alert, Button, Code, Group, List, Stack, Title } from '@mantine/core'
import { generatePath, Link } from 'react-router'
import { CodeBlock } from '../../components/code-block.tsx'
import { PAGE_PATHS } from '../../settings/page-paths.ts'
import { useApp } from '../../team/current-app.tsx'
import { describeAnswer } from './describe-answer.ts'
import type { Exchange } from './verify-proof.ts'

/** Shows the result, and the request and response of the app's server. */
export function Outcome({ exchange }: { exchange: Exchange }) {
  const { path, body, status, answer } = exchange
  const { color, title, text, results } = describeAnswer(answer)
  return (
    <Stack>
      <Alert role="status" color={color} title={title}>
        {text}
        {results.length > 0 && (
          <List mt="xs" size="sm">
            {results.map(({ identifier, text: sentence }) => (
              <List.Item key={identifier}>
                <Code>{identifier}</Code> {sentence}
              </List.Item>
            ))}
          </List>
        )}
      </Alert>
      <Title order={2} size="h4">
        Request from your server
      </Title>
      <CodeBlock text={`POST ${path}\ncontent-type: application/json\n\n${body}`} label="request" />
      <Title order={2} size="h4">
        Response of the platform
      </Title>
      <CodeBlock text={`${status}\n\n${JSON.stringify(answer, null, 2)}`} label="response" />
      {status !== 200 && <DebugLink exchange={exchange} />}
    </Stack>
  )
}

function DebugLink({ exchange: { action, body } }: { exchange: Exchange }) {
  const { id: appId, team_id: teamId } = useApp()
  return (
    <Group>
      <Button
        component={Link}
        to={generatePath(PAGE_PATHS.debugProof, { teamId, appId })}
        state={{ action, proof: body }}
        variant="default"
      >
        Show each check
      </Button>
    </Group>
  )
}
