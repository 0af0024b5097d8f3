import { Badge, Code, Stack } from '@mantine/core'
import { useState } from 'react'
import { ConfirmChange } from '../../components/confirm-change.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Moment } from '../../components/moment.tsx'
import { SecretDialog } from '../../components/secret-shown-once.tsx'
import { ChangeKeyDocument, ResetKeyDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useAllowed } from '../../team/current-team.tsx'
import type { Key } from './keys-query.ts'
import { RenameKeyButton } from './rename-key-button.tsx'

/** Lists the keys, with buttons to change them. */
export function KeyTable({ keys }: { keys: readonly Key[] }) {
  const mayChange = useAllowed('changeKeys')
  const [secret, setSecret] = useState<string | null>(null)
  const changes: Column<Key> = {
    title: 'Changes',
    hasButtons: true,
    cell: (key) => <KeyChanges apiKey={key} onSecret={setSecret} />,
  }
  const columns = mayChange ? [...COLUMNS, changes] : COLUMNS
  return (
    <>
      <DataTable rows={keys} rowKey={({ id }) => id} columns={columns} minWidth={680} />
      <SecretDialog
        title="Your new key"
        secret={secret}
        label="key"
        onClose={() => setSecret(null)}
      />
    </>
  )
}

const COLUMNS: readonly Column<Key>[] = [
  {
    title: 'Name',
    cell: ({ id, name }) => (
      <Stack gap={0} align="flex-start">
        {name}
        <Code style={{ whiteSpace: 'nowrap' }}>{keyBeginning(id)}…</Code>
      </Stack>
    ),
  },
  {
    title: 'Status',
    cell: ({ is_active }) => (
      <Badge variant="light" color={is_active ? 'teal' : 'gray'}>
        {is_active ? 'Active' : 'Revoked'}
      </Badge>
    ),
  },
  {
    title: 'Last used',
    cell: ({ last_used_at }) => (last_used_at === null ? 'Never' : <Moment at={last_used_at} />),
  },
  { title: 'Created', cell: ({ created_at }) => <Moment at={created_at} /> },
]

/** The number of characters that tell a team's keys apart. */
const SHOWN_CHARACTERS = 20

/** Returns the first characters of a key. They follow from the key's id, so they contain no part of its secret. */
function keyBeginning(id: string): string {
  return `api_${btoa(id)}`.slice(0, SHOWN_CHARACTERS)
}

type KeyChangesProps = { apiKey: Key; onSecret(secret: string): void }

function KeyChanges({ apiKey: { id, name, is_active }, onSecret }: KeyChangesProps) {
  return (
    <>
      <RenameKeyButton id={id} name={name} />
      {is_active && (
        <ConfirmChange
          label="Reset"
          title={`Reset ${name}?`}
          consequences="The current key stops working at once. You get a new key."
          toast="Key reset."
          change={(_, signal) => request(ResetKeyDocument, { id }, signal)}
          onDone={({ reset_api_key: { api_key } }) => onSecret(api_key)}
        />
      )}
      {is_active ? (
        <ConfirmChange
          key="revoke"
          label="Revoke"
          title={`Revoke ${name}?`}
          consequences="The key stops working at once. You can reactivate it later."
          toast="Key revoked."
          change={(_, signal) =>
            request(ChangeKeyDocument, { id, set: { is_active: false } }, signal)
          }
        />
      ) : (
        <ConfirmChange
          key="reactivate"
          label="Reactivate"
          title={`Reactivate ${name}?`}
          consequences="The key works again."
          toast="Key reactivated."
          change={(_, signal) =>
            request(ChangeKeyDocument, { id, set: { is_active: true } }, signal)
          }
        />
      )}
    </>
  )
}
