import { parseArgs } from 'node:util'
import { z } from 'zod'

export const HELP = `npm run test:differential -- [options]

Compares the embedded engine with Hasura, or with a reference, on the same random operations: status, data, and the code, path
and message of errors; after each mutation also the rows of all tables. For the first difference of each kind, the program prints
the schema, metadata, headers, request and both responses. It makes differences as small as possible, except those from a
recording. The exit code is 1 if a difference is not listed in packages/engine/docs/differences.md.

  with HASURA_GRAPHQL_ENDPOINT (and HASURA_GRAPHQL_ADMIN_SECRET)
      compares with this Hasura. Its database must be empty; the program writes to it and empties it again. If this Hasura has
      HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES, …_INFER_FUNCTION_PERMISSIONS or …_EXPERIMENTAL_FEATURES, set the same values
      here: the embedded engine gets them.
  with --recorded
      compares with recorded responses of a Hasura.
  without both
      compares with a slow reference implementation in this project, on three tables.

  --seed N          repeats the operations of a seed (default: from the time)
  --operations N    the approximate number of operations (default: 3000)
  --worlds N        the number of random schemas with metadata (default: 20)
  --tries N         the number of smaller cases that are tried at most for a difference (default: 600)
  --record FILE     records the responses of Hasura for --recorded
  --recorded FILE…  compares with the recorded responses in these files
  --database URL    a superuser's URL of a PostgreSQL for the embedded engine (default: starts a temporary PostgreSQL)
  --help            prints this help
`

const Count = z.coerce.number().int().positive()

const Options = z.object({
  seed: z.coerce.number().int().nonnegative(),
  operations: Count,
  worlds: Count,
  tries: z.coerce.number().int().nonnegative(),
  record: z.string().optional(),
  recorded: z.array(z.string()),
  database: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  help: z.boolean(),
})
export type Options = z.infer<typeof Options>

/** Reads the command line. @throws Error with a message for the terminal */
export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      operations: { type: 'string', default: '3000' },
      worlds: { type: 'string', default: '20' },
      tries: { type: 'string', default: '600' },
      record: { type: 'string' },
      recorded: { type: 'string', multiple: true, default: [] },
      database: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const { data, error } = Options.safeParse(values)
  if (!data) throw new Error(z.prettifyError(error))
  if (positionals.length > 0 && data.recorded.length === 0)
    throw new Error(`${positionals[0]} is not an option; see --help.`)
  return { ...data, recorded: [...data.recorded, ...positionals] }
}
