import { Anchor, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { Link, useLocation, useNavigate } from 'react-router'
import { CardPage } from '../../components/card-page.tsx'
import { ChangeForm } from '../../components/change-form.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { nextPath } from '../../session/next-path.ts'
import { logIn } from '../../session/session.ts'
import { PAGE_PATHS } from '../../settings/page-paths.ts'

export function LogInPage() {
  const navigate = useNavigate()
  const { search } = useLocation()
  const form = useForm({
    initialValues: { email: new URLSearchParams(search).get('email') ?? '', password: '' },
    validate: {
      email: isNotEmpty('Enter your e-mail address.'),
      password: isNotEmpty('Enter your password.'),
    },
  })
  return (
    <CardPage
      footer={
        <>
          New here?{' '}
          <Anchor component={Link} to={{ pathname: PAGE_PATHS.signUp, search }}>
            Sign up
          </Anchor>
        </>
      }
    >
      <PageTitle title="Log in" />
      <ChangeForm
        form={form}
        change={logIn}
        label="Log in"
        isWide
        onDone={() => navigate(nextPath(search), { replace: true })}
      >
        <TextInput
          label="E-mail address"
          type="email"
          autoComplete="username"
          autoFocus
          {...form.getInputProps('email')}
        />
        <PasswordField
          label="Password"
          autoComplete="current-password"
          {...form.getInputProps('password')}
        />
        <Anchor component={Link} to={PAGE_PATHS.forgotPassword} size="sm">
          Forgot your password?
        </Anchor>
      </ChangeForm>
    </CardPage>
  )
}
