import { z } from 'zod'

/**
 * Creates the schema of a list of entries with distinct names. Without this check, the last of two entries with the
 * same name, such as two permissions of a role, would silently win. Hasura rejects the list too, with an error at the
 * object that contains the list.
 *
 * @param entries the plural noun of the entries, for the message
 */
export function distinctEntries<T extends z.ZodType>(
  entries: string,
  entry: T,
  nameOf: (entry: z.output<T>) => string,
) {
  return z.array(entry).superRefine((list, context) => {
    const names = list.map(nameOf)
    const duplicates = new Set(names.filter((name, i) => names.indexOf(name) !== i))
    if (duplicates.size > 0)
      context.addIssue({
        code: 'custom',
        message: `${DUPLICATES} ${entries}: ${[...duplicates].join(', ')}`,
      })
  })
}

/** The beginning of the message about entries with the same name. */
export const DUPLICATES = 'multiple declarations exist for the following'

/**
 * Returns the name that identifies the entry of a table or function: `schema.name`, or only `name` in the schema
 * `public`.
 */
export function entryName({ schema, name }: { schema: string; name: string }): string {
  return schema === 'public' ? name : `${schema}.${name}`
}
