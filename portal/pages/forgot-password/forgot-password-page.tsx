import { Anchor, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import { z } from 'zod'
import { CardPage } from '../../components/card-page.tsx'
import { ChangeForm } from '../../components/change-form.tsx'
import { enteredEmail } from '../../components/entered-texts.ts'
import { PageTitle } from '../../components/page-title.tsx'
import { useInputForm } from '../../components/use-input-form.ts'
import { mailPasswordLink } from '../../session/session.ts'
import { PAGE_PATHS } from '../../settings/page-paths.ts'

/** The page where users ask for a link to reset their password. */
export function ForgotPasswordPage() {
  const [sentTo, setSentTo] = useState<string | null>(null)
  const form = useInputForm(z.object({ email: enteredEmail }), { email: '' })
  return (
    <CardPage
      footer={
        <Anchor component={Link} to={PAGE_PATHS.logIn}>
          Back to log in
        </Anchor>
      }
    >
      <PageTitle title={sentTo === null ? 'Reset your password' : 'Check your inbox'} />
      {sentTo === null ? (
        <ChangeForm
          form={form}
          change={({ email }) => mailPasswordLink(email)}
          label="Send me a link"
          isWide
          onDone={() => setSentTo(form.getValues().email)}
        >
          <TextInput
            label="E-mail address"
            description="The address that you signed up with."
            type="email"
            autoComplete="username"
            {...form.getInputProps('email')}
          />
        </ChangeForm>
      ) : (
        <Text>
          If {sentTo} has an account, we have sent a link to it. The link works once, within an
          hour.
        </Text>
      )}
    </CardPage>
  )
}
