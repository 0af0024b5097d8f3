import { Kind, parse } from 'graphql/language/index.js'
import { z } from 'zod'

const Entry = z.looseObject({ query: z.string(), operationName: z.string().nullish() })
const Body = z.union([z.array(z.unknown()), z.unknown().transform((entry) => [entry])])

/** Whether a body that was judged may change something: whether it, or an entry of a batch, runs a mutation. */
export function hasMutation(body: string): boolean {
  return Body.parse(JSON.parse(body)).some((entry) => {
    const { data: request } = Entry.safeParse(entry)
    return request !== undefined && runsMutation(request)
  })
}

function runsMutation({ query, operationName }: z.infer<typeof Entry>): boolean {
  return parse(query, { noLocation: true }).definitions.some(
    (definition) =>
      definition.kind === Kind.OPERATION_DEFINITION &&
      definition.operation === 'mutation' &&
      (!operationName || definition.name?.value === operationName),
  )
}
