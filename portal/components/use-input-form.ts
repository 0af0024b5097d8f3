import { schemaResolver, type UseFormReturnType, useForm } from '@mantine/form'
import type { z } from 'zod'

/** A form whose fields are checked by a schema, and submitted as what the schema makes of them. */
export type InputForm<Values extends Record<string, unknown>, Parsed> = UseFormReturnType<
  Values,
  Parsed
>

/** The state of such a form. */
export function useInputForm<Values extends Record<string, unknown>, Parsed>(
  schema: z.ZodType<Parsed, Values>,
  initialValues: Values,
): InputForm<Values, Parsed> {
  return useForm<Values, Parsed>({
    initialValues,
    validate: schemaResolver(schema, { sync: true }),
    transformValues: (values) => schema.parse(values),
  })
}
