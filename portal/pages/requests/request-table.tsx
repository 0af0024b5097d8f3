import { Anchor, Badge, Code, Stack, Text } from '@mantine/core'
import { generatePath, Link } from 'react-router'
import { Copyable } from '../../components/copyable.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Moment } from '../../components/moment.tsx'
import { useApp } from '../../team/current-app.tsx'
import { useTeam } from '../../team/current-team.tsx'
import { type AdvicePage, adviceFor } from './advice.ts'
import { type RefusedRequest, reasonsOf } from './request-log.ts'

const COLUMNS: readonly Column<RefusedRequest>[] = [
  {
    title: 'When and where',
    cell: ({ created_at, endpoint }) => (
      <Stack gap={4} align="flex-start">
        <Moment at={created_at} />
        <Code style={WHOLE_WORDS}>{endpoint}</Code>
      </Stack>
    ),
  },
  { title: 'Code', cell: (request) => <Codes request={request} /> },
  { title: 'What happened, and what to do', cell: (request) => <Explanation request={request} /> },
  {
    title: 'Request id',
    cell: ({ request_id }) => <Copyable text={request_id} label={`request id ${request_id}`} />,
  },
]

/** Breaks a word only if it is longer than the column. */
const WHOLE_WORDS = { overflowWrap: 'break-word', maxWidth: '14rem' } as const

/** The refused requests, with what to do about each. */
export function RequestTable({ requests }: { requests: readonly RefusedRequest[] }) {
  return <DataTable rows={requests} rowKey={({ id }) => id} columns={COLUMNS} minWidth={800} />
}

/** The code of a request, the codes of its proofs, and how often it was refused within the second. */
function Codes({ request }: { request: RefusedRequest }) {
  const { code, times } = request
  return (
    <Stack gap={4} align="flex-start">
      <Code style={WHOLE_WORDS}>{code}</Code>
      {reasonsOf(request).map((reason) => (
        <Code key={reason} style={WHOLE_WORDS}>
          {reason}
        </Code>
      ))}
      {times > 1 && (
        <Badge variant="light" color="gray" title={`${times} requests within a second`}>
          × {times}
        </Badge>
      )}
    </Stack>
  )
}

/** The words of the response, the field that was refused, and advice about the most exact code. */
function Explanation({ request }: { request: RefusedRequest }) {
  const { code, attribute, detail } = request
  const [reason = code] = reasonsOf(request)
  const advice = adviceFor(reason)
  return (
    <Stack gap={4} miw={260} align="flex-start">
      <Text size="sm">
        {attribute !== null && <Code mr={6}>{attribute}</Code>}
        {detail}
      </Text>
      {advice && (
        <Text size="sm" c="dimmed">
          {advice.text}
        </Text>
      )}
      {advice?.page && <PageLink page={advice.page} />}
    </Stack>
  )
}

function PageLink({ page: { path, label } }: { page: AdvicePage }) {
  const { id: teamId } = useTeam()
  const { id: appId } = useApp()
  return (
    <Anchor component={Link} size="sm" to={generatePath(path, { teamId, appId, actionId: '' })}>
      {label}
    </Anchor>
  )
}
