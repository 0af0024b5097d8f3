import { Select, Switch, TextInput } from '@mantine/core'
import { z } from 'zod'
import { enteredName } from '../../components/entered-texts.ts'
import type { FieldWords } from '../../components/row-form/field-words.ts'
import { RowForm } from '../../components/row-form/row-form.tsx'
import { type RowForm as RowFormState, useRowForm } from '../../components/row-form/use-row-form.ts'
import { SaveAppDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { type App, useApp } from '../../team/current-app.tsx'

const ENGINES = ['cloud', 'on-chain'] as const

const Input = z.object({
  name: enteredName,
  logo_url: z.union([
    z.literal(''),
    z
      .url({ protocol: /^https$/, error: 'Must begin with https://' })
      .max(2048, 'Enter at most 2,048 characters.'),
  ]),
  engine: z.enum(ENGINES),
  creates_actions: z.boolean(),
  status: z.boolean().transform((isActive) => (isActive ? 'active' : 'inactive')),
})

type Values = z.input<typeof Input>

type Row = Pick<App, keyof Values>

const WORDS: FieldWords<Values> = {
  name: { label: 'Name' },
  logo_url: { label: 'Logo' },
  engine: {
    label: 'Where proofs are verified',
    describe: (engine) => (engine === 'cloud' ? 'on this platform' : 'on chain'),
  },
  creates_actions: { label: 'Create unknown actions at their first valid proof' },
  status: { label: 'Active' },
}

/** Changes an app's name, logo, engine and status. */
export function AppForm() {
  const { id, name, logo_url, engine, status, creates_actions } = useApp()
  const rowForm = useRowForm({
    row: { name, logo_url, engine, status, creates_actions },
    toValues: valuesOfApp,
    schema: Input.partial(),
  })
  return (
    <RowForm
      rowForm={rowForm}
      words={WORDS}
      update={async ({ set, where }) => {
        const { update_app: outcome } = await request(SaveAppDocument, { id, set, where })
        return outcome?.affected_rows ?? 0
      }}
      label="Save"
      toast="App changed."
    >
      <AppFields form={rowForm.form} />
    </RowForm>
  )
}

function valuesOfApp({ engine, status, ...row }: Row): Values {
  return {
    ...row,
    engine: ENGINES.find((each) => each === engine) ?? 'cloud',
    status: status === 'active',
  }
}

type AppFieldsProps = { form: Pick<RowFormState<Values, Row, unknown>['form'], 'getInputProps'> }

function AppFields({ form }: AppFieldsProps) {
  const { is_verified } = useApp()
  return (
    <>
      <TextInput
        label="Name"
        description={
          is_verified
            ? 'The operator has verified this app. If you change its name or logo, it must be verified again.'
            : 'People see this name when they are asked to verify.'
        }
        {...form.getInputProps('name')}
      />
      <TextInput
        label="Logo"
        description="The address of an image. Sign-in shows it once the operator has verified the app."
        placeholder="https://example.com/logo.png"
        type="url"
        {...form.getInputProps('logo_url')}
      />
      <Select
        label="Where proofs are verified"
        description="On chain, your own contract verifies and counts them."
        data={[
          { value: 'cloud', label: 'On this platform' },
          { value: 'on-chain', label: 'On chain' },
        ]}
        allowDeselect={false}
        {...form.getInputProps('engine')}
      />
      <Switch
        label="Create unknown actions at their first valid proof"
        description="The first valid proof of protocol 4.0 for an action that does not exist creates this action, with a limit of 1."
        {...form.getInputProps('creates_actions', { type: 'checkbox' })}
      />
      <Switch
        label="Active"
        description="People can verify and sign in only while the app is active."
        {...form.getInputProps('status', { type: 'checkbox' })}
      />
    </>
  )
}
