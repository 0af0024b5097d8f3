import { schemaResolver, type UseFormReturnType, useForm } from '@mantine/form'
import type { z } from 'zod'

/** A form that a schema validates; it submits the parsed values. */
export type InputForm<Values extends Record<string, unknown>, Parsed> = UseFormReturnType<
  Values,
  Parsed
>

/** Returns the state of a form that `schema` validates. */
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
