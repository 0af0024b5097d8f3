import { z } from 'zod'

/**
 * A list of the metadata in which each entry has a name of its own. Of two with one name, such as two permissions of a
 * role, the last would silently count; Hasura refuses them, too, at the object that has the list.
 *
 * @param entries what the entries are, for the message
 */
export function distinctEntries<T extends z.ZodType>(
  entries: string,
  entry: T,
  nameOf: (entry: z.output<T>) => string,
) {
  return z.array(entry).superRefine((given, context) => {
    const names = given.map(nameOf)
    const twice = new Set(names.filter((name, i) => names.indexOf(name) !== i))
    if (twice.size > 0)
      context.addIssue({
        code: 'custom',
        message: `${REPEATED} ${entries}: ${[...twice].join(', ')}`,
      })
  })
}

/** How the message about entries with one name begins. */
export const REPEATED = 'multiple declarations exist for the following'

/** A table's or function's name as an entry's: without the schema, where that is `public`. */
export function entryName({ schema, name }: { schema: string; name: string }): string {
  return schema === 'public' ? name : `${schema}.${name}`
}
