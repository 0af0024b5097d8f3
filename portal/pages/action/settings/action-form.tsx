import { Input, TextInput } from '@mantine/core'
import { CREDENTIAL_NAMES } from '../../../../lib/proof/protocol-4/credentials.ts'
import { Copyable } from '../../../components/copyable.tsx'
import type { FieldWords } from '../../../components/row-form/field-words.ts'
import { RowForm } from '../../../components/row-form/row-form.tsx'
import { useRowForm } from '../../../components/row-form/use-row-form.ts'
import { ChangeActionDocument } from '../../../graphql/generated/graphql.ts'
import { request } from '../../../graphql/request.ts'
import type { Action } from '../action.ts'
import { limitInWords } from '../limit-in-words.ts'
import { ActionFields } from './action-fields.tsx'
import { type ActionValues, ChangedAction, withoutVainRepeat } from './action-input.ts'
import { Limit, writeLimit } from './limit.ts'
import { PROTOCOLS } from './protocol-fields.tsx'

/** Changes an action. Its identifier cannot change, because all counts depend on it. */
export function ActionForm({ action }: { action: Action }) {
  const { id, app_id: _app, action: identifier, external_nullifier: _scope, ...row } = action
  const rowForm = useRowForm({
    row,
    toValues: valuesOfAction,
    schema: ChangedAction,
    derive: withoutVainRepeat,
  })
  const { form } = rowForm
  return (
    <RowForm
      rowForm={rowForm}
      words={WORDS}
      update={async ({ set, where }) => {
        const { update_action: outcome } = await request(ChangeActionDocument, { id, set, where })
        return outcome?.affected_rows ?? 0
      }}
      label="Save"
      toast="Action changed."
    >
      <Input.Wrapper
        label="Identifier"
        description="Cannot be changed, because the nullifiers of this action depend on it."
        labelElement="div"
      >
        <Copyable text={identifier} label="identifier" />
      </Input.Wrapper>
      <TextInput
        label="Name"
        description="Wallets can show this name to people who verify."
        {...form.getInputProps('name')}
      />
      <ActionFields form={form} />
    </RowForm>
  )
}

type Row = Omit<Action, 'id' | 'app_id' | 'action' | 'external_nullifier'>

function valuesOfAction(row: Row): ActionValues {
  const { name, description, return_url, allows_repeat, credentials } = row
  return {
    name,
    description,
    return_url,
    allows_repeat,
    status: row.status === 'active',
    max_verifications: writeLimit(row.max_verifications),
    credentials: CREDENTIAL_NAMES.filter((each) => credentials.includes(each)),
    protocol: PROTOCOLS.find((each) => each === row.protocol) ?? '3.0',
  }
}

const WORDS: FieldWords<ActionValues> = {
  name: { label: 'Name' },
  description: { label: 'Description' },
  max_verifications: {
    label: 'How often each person may verify',
    describe(value) {
      const { data: limit } = Limit.safeParse(value)
      return limit === undefined ? value : limitInWords(limit)
    },
  },
  protocol: { label: 'Protocol' },
  credentials: { label: 'Credentials', describe: (names) => names.join(', ') },
  allows_repeat: { label: 'Repeat allowed' },
  return_url: { label: 'Return address' },
  status: { label: 'Active' },
}
