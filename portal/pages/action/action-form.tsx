import { NumberInput, Switch, Textarea, TextInput } from '@mantine/core'
import { z } from 'zod'
import {
  CREDENTIAL_NAMES,
  CREDENTIALS_OF_NEW_ACTION,
} from '../../../lib/proof/protocol-4/credentials.ts'
import { ChangeForm } from '../../components/change-form.tsx'
import { useInputForm } from '../../components/use-input-form.ts'
import { mayRepeat, PROTOCOLS, ProtocolFields } from './protocol-fields.tsx'

/** PostgreSQL's largest `integer`. */
const MAX_LIMIT = 2_147_483_647

const Input = z
  .object({
    action: z.string().min(1, 'Enter an identifier.').max(256, 'At most 256 characters.'),
    name: z.string().max(128, 'At most 128 characters.'),
    description: z.string().max(4096, 'At most 4096 characters.'),
    protocol: z.enum(PROTOCOLS),
    max_verifications: z.coerce.number({ error: 'Enter a number.' }).int().min(0).max(MAX_LIMIT),
    return_url: z.union([
      z.literal(''),
      z.url({ protocol: /^https$/, error: 'Must begin with https://' }).max(2048),
    ]),
    allows_repeat: z.boolean(),
    credentials: z.array(z.enum(CREDENTIAL_NAMES)).min(1, 'Choose at least one credential.'),
    status: z.boolean().transform((isActive) => (isActive ? 'active' : 'inactive')),
  })
  // The database accepts a repeat only where it has an effect.
  .transform((values) => ({ ...values, allows_repeat: values.allows_repeat && mayRepeat(values) }))

type Values = z.input<typeof Input>

/** An action with the types of the database. */
type StoredAction = Omit<Values, 'status' | 'protocol' | 'credentials'> & {
  status: string
  protocol: string
  credentials: string[]
}

type ActionFormProps<Result> = {
  /** The action to change. Its identifier cannot change, because all counts depend on it. */
  action?: StoredAction
  label: string
  toast?: string
  change(values: z.output<typeof Input>): Promise<Result>
  onDone?(result: Result): unknown
}

const NEW: Values = {
  action: '',
  name: '',
  description: '',
  protocol: '3.0',
  max_verifications: 1,
  allows_repeat: false,
  credentials: [...CREDENTIALS_OF_NEW_ACTION],
  return_url: '',
  status: true,
}

/** The fields of an action, to create or change it. */
export function ActionForm<Result>({ action, change, ...outcome }: ActionFormProps<Result>) {
  const form = useInputForm(Input, action ? valuesOf(action) : NEW)
  return (
    <ChangeForm form={form} change={(values) => change(values)} {...outcome}>
      <TextInput
        label="Identifier"
        description={
          action
            ? 'Cannot be changed, because the nullifiers of this action depend on it.'
            : 'Your website uses it to ask for a proof. It cannot be changed later.'
        }
        placeholder="vote-2026"
        readOnly={action !== undefined}
        data-autofocus={action === undefined}
        {...form.getInputProps('action')}
      />
      <TextInput
        label="Name"
        description="Wallets can show this name to people who verify."
        {...form.getInputProps('name')}
      />
      <Textarea label="Description" autosize minRows={2} {...form.getInputProps('description')} />
      <NumberInput
        label="How often each person may verify"
        description="0 means no limit. Each verification is still counted."
        min={0}
        max={MAX_LIMIT}
        allowDecimal={false}
        {...form.getInputProps('max_verifications')}
      />
      <ProtocolFields form={form} />
      <TextInput
        label="Return address"
        description="Where the wallet sends a person after verifying."
        placeholder="https://example.com/done"
        type="url"
        {...form.getInputProps('return_url')}
      />
      <Switch
        label="Active"
        description="People can verify only while the action is active."
        {...form.getInputProps('status', { type: 'checkbox' })}
      />
    </ChangeForm>
  )
}

function valuesOf({ status, protocol, credentials, ...action }: StoredAction): Values {
  return {
    ...action,
    status: status === 'active',
    credentials: CREDENTIAL_NAMES.filter((name) => credentials.includes(name)),
    protocol: PROTOCOLS.find((each) => each === protocol) ?? '3.0',
  }
}
