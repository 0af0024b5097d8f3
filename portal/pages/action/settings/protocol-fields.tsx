import { Alert, Checkbox, Select, Stack, Switch } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { CredentialName } from '../../../../lib/proof/protocol-4/credentials.ts'

/** The protocols of World ID that an action accepts. */
export const PROTOCOLS = ['3.0', '4.0', 'both'] as const

/** The fields of an action that are about the protocol. */
export type ProtocolValues = {
  protocol: (typeof PROTOCOLS)[number]
  allows_repeat: boolean
  max_verifications: unknown
  credentials: CredentialName[]
}

const CREDENTIAL_CHOICES = [
  { value: 'proof_of_human', label: 'Proof of human (Orb)' },
  { value: 'passport', label: 'Passport' },
  { value: 'mnc', label: 'My Number Card (mnc)' },
  { value: 'selfie', label: 'Selfie' },
] as const satisfies { value: CredentialName; label: string }[]

type ProtocolFieldsProps<Values extends ProtocolValues> = {
  form: Pick<UseFormReturnType<Values>, 'values' | 'getInputProps'>
}

/** Chooses the protocol of an action, its credentials, and whether the same person may verify again. */
export function ProtocolFields<Values extends ProtocolValues>({
  form: { values, getInputProps },
}: ProtocolFieldsProps<Values>) {
  return (
    <>
      <Select
        label="Protocol"
        description="Which proofs of World ID this action accepts. Clients of IDKit 4 can make proofs of protocol 4.0."
        data={[
          { value: '3.0', label: '3.0' },
          { value: '4.0', label: '4.0' },
          { value: 'both', label: '3.0 and 4.0' },
        ]}
        allowDeselect={false}
        {...getInputProps('protocol')}
      />
      {values.protocol === 'both' && (
        <Alert color="orange" title="One person can be counted twice">
          A person has different nullifiers in protocol 3.0 and in protocol 4.0. So a person can
          verify once with each.
        </Alert>
      )}
      {values.protocol !== '3.0' && <CredentialFields form={{ values, getInputProps }} />}
      {mayRepeat(values) && (
        <Switch
          label="Repeat allowed"
          description="If a person verifies again with protocol 4.0, the answer is 200 instead of an error. The person is not counted again, so your server must check whether it has seen the nullifier."
          {...getInputProps('allows_repeat', { type: 'checkbox' })}
        />
      )}
    </>
  )
}

/** Chooses the credentials that count as a person. */
function CredentialFields<Values extends ProtocolValues>({
  form: { values, getInputProps },
}: ProtocolFieldsProps<Values>) {
  return (
    <>
      <Checkbox.Group
        label="Credentials"
        description="With protocol 4.0, only a person with one of these credentials is counted. Request the same credentials on your website."
        {...getInputProps('credentials')}
      >
        <Stack mt="xs" gap="xs">
          {CREDENTIAL_CHOICES.map((choice) => (
            <Checkbox key={choice.value} {...choice} />
          ))}
        </Stack>
      </Checkbox.Group>
      {values.credentials.length > 1 && (
        <Alert color="orange" title="One person can be counted several times">
          A person can have several accounts of World ID, with different credentials. So a person
          can verify once with each account.
        </Alert>
      )}
    </>
  )
}

/** Returns whether "Repeat allowed" has an effect: with protocol 4.0, for an action that each person may do once. */
export function mayRepeat({ protocol, max_verifications }: ProtocolValues): boolean {
  return protocol !== '3.0' && Number(max_verifications) === 1
}
