import { Alert, Button, Group, Stack } from '@mantine/core'
import { TriangleAlert } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { RequestError } from '../graphql/request-error.ts'
import { useUnsaved } from '../session/unsaved-changes.ts'
import { useDialogId } from './form-dialog.tsx'
import { useChange } from './use-change.ts'
import type { InputForm } from './use-input-form.ts'

type ChangeFormProps<Values extends Record<string, unknown>, Parsed, Result> = {
  form: InputForm<Values, Parsed>
  change(values: Parsed): Promise<Result>
  /** The text of the button. */
  label: string
  toast?: string
  onDone?(result: Result): unknown
  /** Explains an error in other words; returns null to keep the error's message. */
  explain?(error: RequestError): ReactNode
  /** True if the form has values that would be lost; by default, if a value was changed. */
  isUnsaved?: boolean
  /** Shown above the button. */
  notice?: ReactNode
  /** True if the notice explains the error. */
  isExplained?: boolean
  /** Makes the button as wide as the form, for narrow cards. */
  isWide?: boolean
  children: ReactNode
}

/** The maximum width of the fields. Wider fields and lines are hard to read. */
const FIELD_WIDTH = '36rem'

/**
 * A form for one change. If the platform rejects the change, the form shows the error at the field that caused it, or else
 * above the button. The typed values stay, and the user is asked before they are lost.
 */
export function ChangeForm<Values extends Record<string, unknown>, Parsed, Result>(
  props: ChangeFormProps<Values, Parsed, Result>,
) {
  const { form, label, notice, isExplained = false, isWide = false, children } = props
  const element = useRef<HTMLFormElement>(null)
  const focusField = (name: string | undefined) =>
    element.current?.querySelector<HTMLElement>(`[data-path="${name}"]`)?.focus()
  const { submit, failure, isPending } = useSubmission(props, focusField)
  return (
    <form
      ref={element}
      noValidate
      onSubmit={form.onSubmit(submit, (errors) => focusField(Object.keys(errors)[0]))}
    >
      <Stack maw={FIELD_WIDTH}>
        {children}
        {notice}
        {failure !== null && !isExplained && (
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

/**
 * Returns a function that submits the values, and the error to show above the button.
 *
 * @param focusField moves the focus to a field with an error, so that a screen reader reads the error
 */
function useSubmission<Values extends Record<string, unknown>, Parsed, Result>(
  props: ChangeFormProps<Values, Parsed, Result>,
  focusField: (name: string) => void,
) {
  const { form, change, explain, toast, onDone } = props
  const [savedText, setSavedText] = useState<string | null>(null)
  const isDirty = form.isDirty() && JSON.stringify(form.getValues()) !== savedText
  const { isUnsaved = isDirty } = props
  const [failure, setFailure] = useState<ReactNode>(null)
  const forget = useUnsaved(isUnsaved ? 'changes' : null, useDialogId())
  const changeOnce = async (values: Parsed) => {
    const result = await change(values)
    // The next page must not ask about changes that are saved.
    setSavedText(JSON.stringify(form.getValues()))
    forget()
    return result
  }
  const { mutate, isPending } = useChange(changeOnce, {
    ...(toast !== undefined && { toast }),
    ...(onDone && { onDone }),
    onError(error) {
      const reason = error instanceof RequestError ? error : null
      const message = (reason && explain?.(reason)) ?? error.message
      const attribute = reason?.attribute ?? null
      if (attribute === null || !(attribute in form.getValues())) return setFailure(message)
      form.setFieldError(attribute, message)
      focusField(attribute)
    },
  })
  const submit = (values: Parsed) => {
    setFailure(null)
    mutate(values)
  }
  return { submit, failure, isPending }
}
