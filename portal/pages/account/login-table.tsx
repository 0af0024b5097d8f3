import { Badge, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ConfirmChange } from '../../components/confirm-change.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Moment } from '../../components/moment.tsx'
import {
  EndAllLoginsDocument,
  EndLoginDocument,
  type LoginsQuery,
} from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { loginsQuery } from './logins-query.ts'

/** Lists the user's logins, with buttons to end them. */
export function LoginTable() {
  const query = useQuery(loginsQuery)
  return (
    <Stack>
      <Title order={2} size="h4">
        Where you are logged in
      </Title>
      <Loaded query={query}>
        {(logins) => (
          <DataTable rows={logins} rowKey={({ id }) => id} columns={COLUMNS} minWidth={420} />
        )}
      </Loaded>
      <LogOutEverywhere />
    </Stack>
  )
}

function LogOutEverywhere() {
  return (
    <Group>
      <ConfirmChange
        label="Log out everywhere"
        title="Log out everywhere?"
        consequences="You are logged out on every device, including this one."
        toast="Logged out everywhere."
        change={(_, signal) => request(EndAllLoginsDocument, {}, signal)}
        endsLogin
      />
    </Group>
  )
}

type Login = LoginsQuery['login'][number] & { isHere: boolean }

const COLUMNS: readonly Column<Login>[] = [
  {
    title: 'Device',
    cell: ({ address, user_agent, isHere }) => (
      <>
        <Group gap="xs">
          <Text size="sm">{address}</Text>
          {isHere && <Badge variant="light">This browser</Badge>}
        </Group>
        <Text size="xs" c="dimmed">
          {user_agent}
        </Text>
      </>
    ),
  },
  { title: 'Logged in', cell: ({ created_at }) => <Moment at={created_at} /> },
  {
    title: 'Changes',
    hasButtons: true,
    cell: ({ id, isHere }) => (
      <ConfirmChange
        label="Log out"
        title={isHere ? 'Log out of this browser?' : 'Log out of this device?'}
        consequences={
          isHere
            ? 'You have to log in again to continue.'
            : 'To use the platform there, you have to log in again.'
        }
        toast="Logged out."
        change={(_, signal) => request(EndLoginDocument, { id }, signal)}
        endsLogin={isHere}
      />
    ),
  },
]
