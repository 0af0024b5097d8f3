import { parseArgs } from 'node:util'
import { z } from 'zod'

export const HELP = `npm run test:differential -- [options]

Holds the embedded engine against what another one answers to the same random operations: status, data, and of errors code,
path and message; after each mutation also the rows of all tables. A difference is printed as small as it can be made: schema,
metadata, headers, request and both answers. The exit code is 1 if there is one that is not on purpose (packages/engine/docs/differences.md).

  with HASURA_GRAPHQL_ENDPOINT (and HASURA_GRAPHQL_ADMIN_SECRET)
      the other one is that Hasura. Its database must be empty, and is emptied again and again. Other HASURA_GRAPHQL_…
      variables say how it was started: the embedded engine gets the same.
  with --recorded
      it is a Hasura that was asked before. None is needed.
  without either
      it is a slow reference implementation in this project, for three tables.

  --seed N          the same operations come with the same seed (default: the time)
  --operations N    how many, more or less (default: 3000)
  --worlds N        in how many random schemas with metadata (default: 20)
  --tries N         how often a difference may be made smaller (default: 600)
  --record FILE     keeps what the given Hasura answered, for --recorded
  --recorded FILE…  compares with what was kept in these files
  --database URL    a superuser's address of a PostgreSQL for the embedded engine (default: one is started, and thrown away)
  --help            prints this
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

/** Reads the command line. @throws Error with a sentence for the person at the terminal */
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
    throw new Error(`Nothing is called ${positionals[0]}: see --help.`)
  return { ...data, recorded: [...data.recorded, ...positionals] }
}
