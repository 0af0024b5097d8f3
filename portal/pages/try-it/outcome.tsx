import { Alert, Button, Group, Stack, Title } from '@mantine/core'
import { generatePath, Link } from 'react-router'
import { z } from 'zod'
import { CodeBlock } from '../../components/code-block.tsx'
import { Failure } from '../../session/response-schemas.ts'
import { PAGE_PATHS } from '../../settings/page-paths.ts'
import { useApp } from '../../team/current-app.tsx'
import { limitInWords } from '../action/limit-in-words.ts'
import type { Message } from './messages.ts'
import type { Exchange } from './verify-proof.ts'

/** Shows the result, and the request and response of the app's server. */
export function Outcome({ exchange }: { exchange: Exchange }) {
  const { path, body, status, answer } = exchange
  const { color, title, text } = describeAnswer(exchange)
  return (
    <Stack>
      <Alert role="status" color={color} title={title}>
        {text}
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

const Success = z.object({ uses: z.number(), max_uses: z.number() })

function describeAnswer({ answer }: Exchange): Message & { color: string } {
  const success = Success.safeParse(answer).data
  if (success) return { color: 'teal', title: 'Verified', text: usesInWords(success) }
  const failure = Failure.safeParse(answer).data
  if (failure?.code === 'max_verifications_reached')
    return {
      color: 'orange',
      title: 'Already verified',
      text: 'This person has reached the limit of this action and was not counted again. Ask again, and answer as another person.',
    }
  return {
    color: 'red',
    title: 'Rejected',
    text: failure?.detail ?? 'The platform gave no reason.',
  }
}

function usesInWords({ uses, max_uses }: z.infer<typeof Success>): string {
  const times = uses === 1 ? 'once' : `${uses} times`
  return `This person has now verified ${times}. Each person may verify ${limitInWords(max_uses)}.`
}
