import { Input, SegmentedControl } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import {
  CREDENTIAL_NAMES,
  CREDENTIALS_OF_NEW_ACTION,
  type CredentialName,
} from '../../../lib/proof/protocol-4/credentials.ts'
import { ActionRulesDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useApp } from '../../team/current-app.tsx'

const PROTOCOLS = ['3.0', '4.0'] as const

/** The protocol of one request for a proof. */
export type Protocol = (typeof PROTOCOLS)[number]

const TYPING_MS = 250
const LABEL = 'Protocol'

type ActionRules = {
  /** The protocols that an action accepts. While the user types, those of the previous action. */
  protocols: readonly Protocol[]
  /** The credentials that the action accepts with protocol 4.0. */
  credentials: readonly CredentialName[]
  isCurrent: boolean
}

/** Reads what an action accepts. An unknown action may be created by its first proof of protocol 4.0. */
export function useActionRules(action: string): ActionRules {
  const { id: app_id, creates_actions } = useApp()
  const [searchText] = useDebouncedValue(action, TYPING_MS)
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['action-rules', app_id, searchText],
    queryFn: async ({ signal }) => {
      const variables = { app_id, action: searchText }
      const { action: rows } = await request(ActionRulesDocument, variables, signal)
      return rows[0] ?? null
    },
    placeholderData: keepPreviousData,
  })
  if (data === undefined) return { protocols: [], credentials: [], isCurrent: false }
  const accepted = data?.protocol ?? (creates_actions ? '4.0' : '3.0')
  const protocols = PROTOCOLS.filter((protocol) => accepted === protocol || accepted === 'both')
  const credentials = data
    ? CREDENTIAL_NAMES.filter((name) => data.credentials.includes(name))
    : CREDENTIALS_OF_NEW_ACTION
  return { protocols, credentials, isCurrent: !isPlaceholderData && searchText === action }
}

type ProtocolChoiceProps = { value: Protocol; onChange(protocol: Protocol): void }

/** Chooses the protocol of a request, for an action that accepts both. */
export function ProtocolChoice({ value, onChange }: ProtocolChoiceProps) {
  return (
    <Input.Wrapper label={LABEL} description="This action accepts proofs of both protocols.">
      <div>
        <SegmentedControl
          aria-label={LABEL}
          mt={4}
          data={[...PROTOCOLS]}
          value={value}
          onChange={(text) => onChange(text === '4.0' ? '4.0' : '3.0')}
        />
      </div>
    </Input.Wrapper>
  )
}
