import { Alert, Button, Group, Stack } from '@mantine/core'
import { TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { RequestError } from '../graphql/request-error.ts'
import { useChange } from './use-change.ts'
import type { InputForm } from './use-input-form.ts'

type ChangeFormProps<Values extends Record<string, unknown>, Parsed, Result> = {
  form: InputForm<Values, Parsed>
  change(values: Parsed): Promise<Result>
  /** The text of the button. */
  label: string
  toast?: string
  onDone?(result: Result): unknown
  /** Makes the button as wide as the form, for narrow cards. */
  isWide?: boolean
  children: ReactNode
}

/** The maximum width of the fields. Wider fields and lines are hard to read. */
const FIELD_WIDTH = '36rem'

/**
 * A form for one change. If the platform rejects the change, the form shows the error at the field that caused it, or else
 * above the button. The typed values stay.
 */
export function ChangeForm<Values extends Record<string, unknown>, Parsed, Result>({
  form,
  change,
  label,
  isWide = false,
  children,
  ...outcome
}: ChangeFormProps<Values, Parsed, Result>) {
  const [failure, setFailure] = useState<string | null>(null)
  const { mutate, isPending } = useChange(change, {
    ...outcome,
    onError(error) {
      const attribute = error instanceof RequestError ? error.attribute : null
      if (attribute !== null && attribute in form.getValues())
        form.setFieldError(attribute, error.message)
      else setFailure(error.message)
    },
  })
  return (
    <form
      noValidate
      onSubmit={form.onSubmit((values) => {
        setFailure(null)
        mutate(values)
      })}
    >
      <Stack maw={FIELD_WIDTH}>
        {children}
        {failure !== null && (
          <Alert color="red" role="alert" icon={<TriangleAlert aria-hidden />}>
            {failure}
          </Alert>
        )}
        <Group justify={isWide ? 'stretch' : 'flex-start'} grow={isWide}>
          <Button type="submit" loading={isPending}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
