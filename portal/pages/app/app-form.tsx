import { Select, Switch, TextInput } from '@mantine/core'
import { z } from 'zod'
import { displayName } from '../../../webhooks/route/input-text.ts'
import { ChangeForm } from '../../components/change-form.tsx'
import { type InputForm, useInputForm } from '../../components/use-input-form.ts'
import { ChangeAppDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useApp } from '../../team/current-app.tsx'

const Input = z.object({
  name: displayName,
  logo_url: z.union([
    z.literal(''),
    z.url({ protocol: /^https$/, error: 'Must begin with https://' }),
  ]),
  engine: z.enum(['cloud', 'on-chain']),
  creates_actions: z.boolean(),
  status: z.boolean().transform((isActive) => (isActive ? 'active' : 'inactive')),
})

/** Changes an app's name, logo, engine and status. */
export function AppForm() {
  const { id, name, logo_url, engine, status, creates_actions, is_verified } = useApp()
  const form = useInputForm(Input, {
    name,
    logo_url,
    engine,
    creates_actions,
    status: status === 'active',
  })
  return (
    <ChangeForm
      form={form}
      change={(values) => request(ChangeAppDocument, { id, set: values })}
      label="Save"
      toast="App changed."
    >
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
      <AppSwitches form={form} />
    </ChangeForm>
  )
}

type AppSwitchesProps = {
  form: Pick<InputForm<z.input<typeof Input>, z.output<typeof Input>>, 'getInputProps'>
}

function AppSwitches({ form }: AppSwitchesProps) {
  return (
    <>
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
