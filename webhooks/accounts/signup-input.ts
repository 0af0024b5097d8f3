import { z } from 'zod'
import { displayName, requiredText } from '../route/input-text.ts'
import { emailAddress } from './email-address.ts'
import { newPassword } from './new-password.ts'

/** The body of `POST /api/v1/signup` (spec 4.1). A missing field is reported before an invalid field. */
export const SignupInput = z
  .object({
    email: requiredText,
    password: requiredText,
    name: requiredText,
    team_name: requiredText,
  })
  .pipe(
    z.object({
      password: newPassword,
      email: emailAddress,
      name: displayName,
      team_name: displayName,
    }),
  )
