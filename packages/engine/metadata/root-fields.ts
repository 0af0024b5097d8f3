import { z } from 'zod'
import { GraphQLName } from './primitives.ts'

/** A root field's name, or its name and comment. */
const RootField = z
  .union([
    GraphQLName.transform((name) => ({ name, comment: undefined })),
    z.strictObject({ name: GraphQLName.nullish(), comment: z.string().nullish() }),
  ])
  .nullish()

export const ROOT_FIELD_KINDS = [
  'select',
  'select_by_pk',
  'select_aggregate',
  'select_stream',
  'insert',
  'insert_one',
  'update',
  'update_by_pk',
  'update_many',
  'delete',
  'delete_by_pk',
] as const

/** The beginning of the message about several root fields with the same name. */
export const DUPLICATE_ROOT_FIELDS = 'the following custom root field names are duplicated'

/** The names of a table's root fields that replace the default names. */
export const RootFields = z
  .partialRecord(z.enum(ROOT_FIELD_KINDS), RootField)
  .superRefine((fields, { addIssue }) => {
    const names = Object.values(fields).flatMap((field) => field?.name ?? [])
    const duplicates = new Set(names.filter((name, i) => names.indexOf(name) !== i))
    if (duplicates.size > 0) addIssue(`${DUPLICATE_ROOT_FIELDS}: ${ENGLISH.format(duplicates)}`)
  })

const ENGLISH = new Intl.ListFormat('en')
