import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { z } from 'zod'

/** The expected GraphQL response: exactly one of these members. */
const Answer = z.strictObject({
  data: z.unknown().optional(),
  error: z
    .strictObject({ code: z.string(), path: z.string(), message: z.string().optional() })
    .optional(),
  /** The response's text, if its order or spelling matters. White space between its parts is ignored. */
  text: z.string().optional(),
})

/** The expected response of another API: its status, and members that it must have. */
const Reply = z.strictObject({ status: z.int().default(200), answer: z.unknown() })

const CaseBase = {
  title: z.string().min(1),
  /** Set in a file with `seen_on` for a case that was written or changed since. */
  seen: z.literal(false).optional(),
  role: z.string().optional(),
  session: z.record(z.string(), z.string()).default({}),
}

/**
 * The schema of a difference from Hasura: the reason, in the words of the engine's documentation, and Hasura's response.
 * Without Hasura's response, the case is skipped on a real Hasura.
 */
const difference = <T extends z.ZodType>(answer: T) =>
  z.strictObject({ reason: z.string().min(1), hasura: answer.optional() }).optional()

const ONE_ANSWER = 'exactly one of data, error and text'

/** A GraphQL operation. */
const Operation = z
  .strictObject({
    ...CaseBase,
    query: z.string(),
    variables: z.record(z.string(), z.unknown()).default({}),
    ...Answer.shape,
    different_on_purpose: difference(Answer.refine(hasOneAnswer, ONE_ANSWER)),
  })
  .refine(hasOneAnswer, ONE_ANSWER)

/** A request to another API. */
const Request = z.strictObject({
  ...CaseBase,
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
    /** The version of Hasura that gave the responses of the cases. Absent if the cases were never run on Hasura. */
    seen_on: z
      .string()
      .regex(/^v2\.\d+\.\d+$/)
      .optional(),
    schema: z.string(),
    /** The path to which the operations are sent. */
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
    'a case with `seen: false` needs seen_on in its file',
  )
  .refine(({ cases }) => new Set(cases.map(({ title }) => title)).size === cases.length, {
    error: 'two cases have the same title',
  })

export type Operation = z.infer<typeof Operation>
export type Request = z.infer<typeof Request>
export type CaseFile = z.infer<typeof CaseFile> & { name: string }

/** Reads all case files of a folder. @throws with the positions of the faults in the first invalid file */
export function readCaseFiles(folder: string): CaseFile[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => ({ name, ...parseCaseFile(name, readFileSync(join(folder, name), 'utf8')) }))
}

/** Parses a case file's text. @throws with the positions of the faults */
export function parseCaseFile(name: string, text: string): Omit<CaseFile, 'name'> {
  const { data, error } = CaseFile.safeParse(load(text))
  if (data) return data
  throw new Error(`${name} is not a valid case file:\n${z.prettifyError(error)}`)
}

/** Parses each case by its own kind, so that the errors are about that kind only. */
function parseCases(cases: readonly unknown[], context: z.RefinementCtx) {
  return cases.flatMap((value, i): (Operation | Request)[] => {
    const kind =
      typeof value === 'object' && value !== null && 'query' in value ? Operation : Request
    const { data, error } = kind.safeParse(value)
    if (data) return [data]
    for (const { path, ...issue } of error.issues)
      context.addIssue({ ...issue, code: 'custom', path: ['cases', i, ...path] })
    return []
  })
}
