import { Badge, Group, Modal, Table, VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import { ConfirmChange } from '../../components/confirm-change.tsx'
import { Moment } from '../../components/moment.tsx'
import { SecretShownOnce } from '../../components/secret-shown-once.tsx'
import {
  ChangeKeyDocument,
  type KeysQuery,
  ResetKeyDocument,
} from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useAllowed } from '../../team/team.tsx'
import { RenameKeyButton } from './rename-key-button.tsx'

export type Key = KeysQuery['api_key'][number]

/** The keys, with what may be done to each. */
export function KeyTable({ keys }: { keys: readonly Key[] }) {
  const mayChange = useAllowed('changeKeys')
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <>
      <Table.ScrollContainer minWidth={680}>
        <Table verticalSpacing="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Status</Table.Th>
              <Table.Th>Last used</Table.Th>
              <Table.Th>Created</Table.Th>
              {mayChange && (
                <Table.Th>
                  <VisuallyHidden>Changes</VisuallyHidden>
                </Table.Th>
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {keys.map((key) => (
              <KeyRow key={key.id} apiKey={key} onSecret={mayChange ? setSecret : null} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Modal opened={secret !== null} onClose={() => setSecret(null)} title="The key’s new secret">
        <SecretShownOnce secret={secret ?? ''} what="key" />
      </Modal>
    </>
  )
}

type KeyRowProps = {
  apiKey: Key
  /** Null for who may not change keys. */
  onSecret: ((secret: string) => void) | null
}

function KeyRow({ apiKey, onSecret }: KeyRowProps) {
  return (
    <Table.Tr>
      <Table.Td>{apiKey.name}</Table.Td>
      <Table.Td>
        <Badge variant="light" color={apiKey.is_active ? 'teal' : 'gray'}>
          {apiKey.is_active ? 'Active' : 'Revoked'}
        </Badge>
      </Table.Td>
      <Table.Td>
        {apiKey.last_used_at === null ? 'Never' : <Moment at={apiKey.last_used_at} />}
      </Table.Td>
      <Table.Td>
        <Moment at={apiKey.created_at} />
      </Table.Td>
      {onSecret && (
        <Table.Td>
          <KeyChanges apiKey={apiKey} onSecret={onSecret} />
        </Table.Td>
      )}
    </Table.Tr>
  )
}

type KeyChangesProps = { apiKey: Key; onSecret(secret: string): void }

function KeyChanges({ apiKey: { id, name, is_active }, onSecret }: KeyChangesProps) {
  return (
    <Group justify="flex-end" gap="xs" wrap="nowrap">
      <RenameKeyButton id={id} name={name} />
      {is_active && (
        <ConfirmChange
          label="Reset"
          title={`Reset ${name}?`}
          consequences="The key that is in use now stops working at once, and a new one is shown."
          done="The key has a new secret."
          change={() => request(ResetKeyDocument, { id })}
          onDone={({ reset_api_key: { api_key } }) => onSecret(api_key)}
        />
      )}
      {is_active ? (
        <ConfirmChange
          key="revoke"
          label="Revoke"
          title={`Revoke ${name}?`}
          consequences="Whatever uses this key is refused from the next request on. You can bring it back."
          done={`${name} is revoked.`}
          change={() => request(ChangeKeyDocument, { id, set: { is_active: false } })}
        />
      ) : (
        <ConfirmChange
          key="bring back"
          label="Bring back"
          title={`Bring ${name} back?`}
          consequences="Whoever has this key can use it again."
          done={`${name} is active again.`}
          change={() => request(ChangeKeyDocument, { id, set: { is_active: true } })}
        />
      )}
    </Group>
  )
}
