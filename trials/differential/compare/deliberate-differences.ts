import { z } from 'zod'
import type { ServerRequest, ServerResponse } from '../servers/graphql-server.ts'
import type { Difference } from './difference.ts'

/** An operation with different responses of Hasura (`expected`) and the engine. */
export type Compared = {
  request: ServerRequest
  expected: ServerResponse
  engine: ServerResponse
  difference: Difference
}

type Rule = { reason: string; applies(compared: Compared): boolean }

/** Returns the reason of a deliberate difference, in the words of `packages/engine/docs/differences.md`; null for other differences. */
export function deliberateReason(compared: Compared): string | null {
  return RULES.find(({ applies }) => applies(compared))?.reason ?? null
}

const RULES: readonly Rule[] = [
  {
    reason: 'In lists of texts (`_in`, arrays), Hasura replaces control characters with letters',
    applies: ({ request }) => hasControlCharacter(request.body),
  },
  {
    reason: 'Numbers keep their digits in documents of `json` and `jsonb`',
    applies: ({ difference, request }) =>
      difference.kind === 'digits' && writesDigits(request.body),
  },
  {
    reason: 'Nested rows may be sorted by arrays that are empty or null',
    applies: ({ expected }) => expected.text.includes('cannot accumulate null arrays'),
  },
  {
    reason: "If a row breaks a permission's check and a foreign key, the error names the check",
    applies: ({ expected, engine }) =>
      expected.text.includes('Foreign key violation') && engine.text.includes('permission-error'),
  },
  {
    reason: "if two root fields fail, the reported error may differ from Hasura's",
    applies: ({ request, expected, engine }) =>
      countRootFields(request.body) > 1 && hasErrors(expected) && hasErrors(engine),
  },
  {
    reason:
      'If PostgreSQL aborts a transaction because of a concurrent transaction, the error is always `concurrent-update`',
    applies: ({ engine }) => engine.text.includes('"concurrent-update"'),
  },
]

/** Reports whether a string in the document or in the variables has a control character, such as a line break. */
function hasControlCharacter(body: unknown): boolean {
  const texts = queryOf(body).match(/"(?:[^"\\\n]|\\.)*"/g) ?? []
  const variables = JSON.stringify(variablesOf(body))
  return [...texts, variables].some((text) => /\\(?:[nrtbf]|u00[01])/.test(text))
}

/** Reports whether the request has a number that Hasura writes differently: `1.10`, `1e3`, or a number with many digits. */
function writesDigits(body: unknown): boolean {
  return /\d\.\d*0\b|\d[eE][-+\d]|\d{16}/.test(queryOf(body) + JSON.stringify(variablesOf(body)))
}

const Body = z.object({ query: z.string().catch(''), variables: z.unknown().optional() })

function queryOf(body: unknown): string {
  return Body.safeParse(body).data?.query ?? ''
}

function variablesOf(body: unknown): unknown {
  return Body.safeParse(body).data?.variables ?? null
}

function hasErrors({ text }: ServerResponse): boolean {
  return /^\s*\{\s*"errors"/.test(text)
}

/** Estimates the number of root fields: the names at depth one, without aliases. */
function countRootFields(body: unknown): number {
  let depth = 0
  let fields = 0
  for (const [token] of queryOf(body).matchAll(/[A-Za-z_]\w*|"(?:[^"\\]|\\.)*"|[{}()[\]:]/g)) {
    if (/^[{([]/.test(token)) depth += 1
    else if (/^[})\]]/.test(token)) depth -= 1
    else if (depth === 1 && token === ':') fields -= 1
    else if (depth === 1 && /^\w/.test(token)) fields += 1
  }
  return fields
}
