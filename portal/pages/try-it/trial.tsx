import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { ActionField } from '../../team/action-field.tsx'
import { Outcome } from './outcome.tsx'
import { type Attempt, useAttempt } from './use-attempt.ts'
import { useRequestToMake } from './use-request-to-make.tsx'
import { WalletRequest } from './wallet-request.tsx'

/** Asks for proofs, one at a time. */
export function Trial({ latestAction }: { latestAction: string }) {
  const [action, setAction] = useState(latestAction)
  const { attempt, begin, cancel } = useAttempt()
  const request = useRequestToMake(action.trim())
  const isUnderWay = ['preparing', 'waiting', 'checking'].includes(attempt.state)
  return (
    <Stack gap="xl">
      <form
        onSubmit={async (event) => {
          event.preventDefault()
          const choice = await request.read()
          if (choice) await begin(choice)
        }}
      >
        <Stack maw="36rem">
          <ActionField value={action} onChange={setAction} />
          {request.fields}
          <Group>
            <Button type="submit" disabled={action.trim() === '' || !request.isReady}>
              {attempt.state === 'idle' ? 'Ask for a proof' : 'Ask again'}
            </Button>
            {isUnderWay && (
              <Button variant="default" onClick={cancel}>
                Cancel
              </Button>
            )}
          </Group>
        </Stack>
      </form>
      <CurrentAttempt attempt={attempt} />
    </Stack>
  )
}

function CurrentAttempt({ attempt }: { attempt: Attempt }) {
  switch (attempt.state) {
    case 'idle':
      return null
    case 'preparing':
      return <Busy text="Sending the request to the wallet bridge …" />
    case 'waiting':
      return <WalletRequest link={attempt.link} isSeen={attempt.isSeen} />
    case 'checking':
      return <Busy text="The platform is verifying the proof …" />
    case 'verified':
      return <Outcome exchange={attempt.exchange} />
    case 'ended':
      return (
        <Alert color="orange" role="status" title={attempt.title}>
          {attempt.text}
        </Alert>
      )
  }
}

function Busy({ text }: { text: string }) {
  return (
    <Group role="status" gap="sm">
      <Loader size="sm" aria-hidden />
      <Text>{text}</Text>
    </Group>
  )
}
