import { Badge, Group, Stack, Table, Text, Title, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ConfirmChange } from '../../components/confirm-change.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Moment } from '../../components/moment.tsx'
import {
  EndAllLoginsDocument,
  EndLoginDocument,
  LoginsDocument,
  type LoginsQuery,
} from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { currentLoginId } from '../../session/session.ts'

/** Where a person is logged in, and the way out of each. */
export function LoginTable() {
  const query = useQuery({
    queryKey: ['logins'],
    queryFn: async () => {
      const [{ login: logins }, currentId] = await Promise.all([
        request(LoginsDocument),
        currentLoginId(),
      ])
      return logins.map((login) => ({ ...login, isHere: login.id === currentId }))
    },
  })
  return (
    <Stack>
      <Title order={2} size="h4">
        Where you are logged in
      </Title>
      <Loaded query={query}>
        {(logins) => (
          <Table.ScrollContainer minWidth={420}>
            <Table verticalSpacing="sm">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Device</Table.Th>
                  <Table.Th>Since</Table.Th>
                  <Table.Th>
                    <VisuallyHidden>Changes</VisuallyHidden>
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {logins.map((login) => (
                  <LoginRow key={login.id} login={login} />
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
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
        consequences="Every login ends, this one too."
        done="All logins have ended."
        change={() => request(EndAllLoginsDocument)}
        endsLogin
      />
    </Group>
  )
}

type Login = LoginsQuery['login'][number] & { isHere: boolean }

function LoginRow({ login }: { login: Login }) {
  const { id, address, user_agent, created_at, isHere } = login
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="xs">
          <Text size="sm">{address}</Text>
          {isHere && <Badge variant="light">This browser</Badge>}
        </Group>
        <Text size="xs" c="dimmed">
          {user_agent}
        </Text>
      </Table.Td>
      <Table.Td>
        <Moment at={created_at} />
      </Table.Td>
      <Table.Td>
        <Group justify="flex-end">
          <ConfirmChange
            label="Log out"
            title="Log out there?"
            consequences={
              isHere
                ? 'You have to log in again.'
                : 'Whoever uses the platform there has to log in again.'
            }
            done="That login has ended."
            change={() => request(EndLoginDocument, { id })}
            endsLogin={isHere}
          />
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}
