import { PasswordInput, type PasswordInputProps } from '@mantine/core'

/** A field for a password. Unlike Mantine's field, it tells screen readers that its value is wrong. */
export function PasswordField({ error, ...props }: PasswordInputProps) {
  return <PasswordInput error={error} aria-invalid={error ? true : undefined} {...props} />
}
