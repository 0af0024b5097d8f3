import { Anchor, TextInput } from '@mantine/core'
import { Link, useLocation, useNavigate } from 'react-router'
import { z } from 'zod'
import { CardPage } from '../../components/card-page.tsx'
import { ChangeForm } from '../../components/change-form.tsx'
import { enteredEmail, enteredPassword, nameText } from '../../components/entered-texts.ts'
import { PageTitle } from '../../components/page-title.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { useInputForm } from '../../components/use-input-form.ts'
import { nextPath } from '../../session/next-path.ts'
import { signUp } from '../../session/session.ts'
import { PAGE_PATHS } from '../../settings/page-paths.ts'

const Input = z.object({
  name: nameText('Enter your name.'),
  email: enteredEmail,
  password: enteredPassword,
  team_name: nameText('Enter a name for your team.'),
})

/** The page where users create an account and their first team. */
export function SignUpPage() {
  const navigate = useNavigate()
  const { search } = useLocation()
  const email = new URLSearchParams(search).get('email') ?? ''
  const form = useInputForm(Input, { name: '', email, password: '', team_name: '' })
  return (
    <CardPage footer={<LogInInstead />}>
      <PageTitle title="Sign up" about="Create an account and a team for your apps." />
      <ChangeForm
        form={form}
        change={signUp}
        label="Sign up"
        isWide
        explain={({ code }) =>
          code === 'already_registered' ? <LogInWith email={form.getValues().email} /> : null
        }
        onDone={() => navigate(nextPath(search), { replace: true })}
      >
        <TextInput
          label="Your name"
          autoComplete="name"
          autoFocus
          {...form.getInputProps('name')}
        />
        <TextInput
          label="E-mail address"
          description="We send a link to this address. Open it within 24 hours."
          type="email"
          autoComplete="username"
          {...form.getInputProps('email')}
        />
        <PasswordField
          label="Password"
          description="At least 8 characters."
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        <TextInput
          label="Team name"
          description="Your company or project, for example."
          autoComplete="organization"
          {...form.getInputProps('team_name')}
        />
      </ChangeForm>
    </CardPage>
  )
}

function LogInWith({ email }: { email: string }) {
  const { search } = useLocation()
  const parameters = new URLSearchParams(search)
  parameters.set('email', email.trim())
  return (
    <>
      This address has an account already.{' '}
      <Anchor
        component={Link}
        inherit
        to={{ pathname: PAGE_PATHS.logIn, search: `?${parameters}` }}
      >
        Log in with it
      </Anchor>
    </>
  )
}

function LogInInstead() {
  const { search } = useLocation()
  return (
    <>
      Already have an account?{' '}
      <Anchor component={Link} to={{ pathname: PAGE_PATHS.logIn, search }}>
        Log in
      </Anchor>
    </>
  )
}
