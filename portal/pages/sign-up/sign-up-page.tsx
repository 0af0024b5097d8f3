import { Anchor, PasswordInput, TextInput } from '@mantine/core'
import { Link, useLocation, useNavigate } from 'react-router'
import { SignupInput } from '../../../webhooks/accounts/signup-input.ts'
import { CardPage } from '../../components/card-page.tsx'
import { ChangeForm } from '../../components/change-form.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { useInputForm } from '../../components/use-input-form.ts'
import { nextPath } from '../../session/next-path.ts'
import { signUp } from '../../session/session.ts'
import { PAGE_PATHS } from '../../settings/page-paths.ts'

/** The page where users create an account and their first team. */
export function SignUpPage() {
  const navigate = useNavigate()
  const { search } = useLocation()
  const email = new URLSearchParams(search).get('email') ?? ''
  const form = useInputForm(SignupInput, { name: '', email, password: '', team_name: '' })
  return (
    <CardPage footer={<LogInInstead />}>
      <PageTitle title="Sign up" about="Create an account and a team for your apps." />
      <ChangeForm
        form={form}
        change={signUp}
        label="Sign up"
        isWide
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
        <PasswordInput
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
