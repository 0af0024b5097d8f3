import { z } from 'zod'
import { emailAddress } from '../../webhooks/accounts/email-address.ts'
import { newPassword } from '../../webhooks/accounts/new-password.ts'
import { displayName } from '../../webhooks/route/input-text.ts'

const MAX_NAME = 128

/** A name that a user enters, with the platform's rules in words for a form. `missing` is the error without a name. */
export function nameText(missing: string) {
  return z
    .string()
    .trim()
    .min(1, missing)
    .max(MAX_NAME, `Enter at most ${MAX_NAME} characters.`)
    .refine((name) => displayName.safeParse(name).success, 'Enter the name on one line.')
}

/** The name of a team, an app or a key. */
export const enteredName = nameText('Enter a name.')

/** An e-mail address that a user enters. */
export const enteredEmail = z.string().trim().min(1, 'Enter an e-mail address.').pipe(emailAddress)

/** A new password that a user enters. */
export const enteredPassword = z.string().min(1, 'Enter a password.').pipe(newPassword)
