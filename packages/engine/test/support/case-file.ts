import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { z } from 'zod'

/** What GraphQL answers: exactly one of these. */
const Answer = z.strictObject({
  data: z.unknown().optional(),
  error: z
    .strictObject({ code: z.string(), path: z.string(), message: z.string().optional() })
    .optional(),
  /** The answer's text, where its order or spelling matters; white space between its parts does not. */
  text: z.string().optional(),
})

/** What another API answers: its status, and members that its answer must have. */
const Reply = z.strictObject({ status: z.int().default(200), answer: z.unknown() })

const Asker = {
  title: z.string().min(1),
  /** In a file that real Hasura has answered, a case that was written or changed since. */
  seen: z.literal(false).optional(),
  role: z.string().optional(),
  session: z.record(z.string(), z.string()).default({}),
}

/**
 * Of a case that Hasura answers otherwise: why, in words of the engine's README, and what Hasura answers. If that is
 * not known, a real Hasura is not asked.
 */
const difference = <T extends z.ZodType>(answer: T) =>
  z.strictObject({ reason: z.string().min(1), hasura: answer.optional() }).optional()

const ONE_ANSWER = 'exactly one of data, error and text'

/** An operation in GraphQL. */
const Operation = z
  .strictObject({
    ...Asker,
    query: z.string(),
    variables: z.record(z.string(), z.unknown()).default({}),
    ...Answer.shape,
    different_on_purpose: difference(Answer.refine(hasOneAnswer, ONE_ANSWER)),
  })
  .refine(hasOneAnswer, ONE_ANSWER)

/** A request to another API. */
const Request = z.strictObject({
  ...Asker,
  post: z.string().startsWith('/'),
  body: z.unknown(),
  ...Reply.shape,
  different_on_purpose: difference(Reply),
})

function hasOneAnswer(answer: object): boolean {
  return ['data', 'error', 'text'].filter((member) => member in answer).length === 1
}

/** A file of cases: a schema, metadata for it, and requests that run in order on one engine. */
const CaseFile = z
  .strictObject({
    about: z.string().min(1),
    /** The version of Hasura that has answered the cases like this; none where no real one was asked. */
    seen_on: z
      .string()
      .regex(/^v2\.\d+\.\d+$/)
      .optional(),
    schema: z.string(),
    /** Where its operations are sent. */
    path: z.string().startsWith('/').default('/v1/graphql'),
    environment: z.record(z.string(), z.string()).default({}),
    /** The parts of the source `default`. */
    source: z.record(z.string(), z.unknown()),
    /** Other top-level parts of the metadata. */
    metadata: z.record(z.string(), z.unknown()).default({}),
    cases: z.array(z.unknown()).min(1),
  })
  .transform(({ cases, ...file }, context) => ({ ...file, cases: parseCases(cases, context) }))
  .refine(
    ({ seen_on, cases }) => seen_on !== undefined || cases.every(({ seen }) => seen === undefined),
    'no case of a file without seen_on was seen, which need not be said',
  )
  .refine(({ cases }) => new Set(cases.map(({ title }) => title)).size === cases.length, {
    error: 'every case has a title of its own',
  })

export type Operation = z.infer<typeof Operation>
export type Request = z.infer<typeof Request>
export type CaseFile = z.infer<typeof CaseFile> & { name: string }

/** Reads all files of cases in a folder. @throws with the place of everything that is wrong in a file */
export function readCaseFiles(folder: string): CaseFile[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => ({ name, ...parseCaseFile(name, readFileSync(join(folder, name), 'utf8')) }))
}

/** Reads a file's text. @throws with the place of everything that is wrong */
export function parseCaseFile(name: string, text: string): Omit<CaseFile, 'name'> {
  const { data, error } = CaseFile.safeParse(load(text))
  if (data) return data
  throw new Error(`${name} is no file of cases:\n${z.prettifyError(error)}`)
}

/** Parses each case by itself as what it is, so that errors are about that and not about the other kind. */
function parseCases(cases: readonly unknown[], context: z.RefinementCtx) {
  return cases.flatMap((given, i): (Operation | Request)[] => {
    const kind =
      typeof given === 'object' && given !== null && 'query' in given ? Operation : Request
    const { data, error } = kind.safeParse(given)
    if (data) return [data]
    for (const { path, ...issue } of error.issues)
      context.addIssue({ ...issue, code: 'custom', path: ['cases', i, ...path] })
    return []
  })
}
