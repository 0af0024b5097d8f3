import { z } from 'zod'
import type { Answered, Asking } from '../servers/graphql-server.ts'
import type { Difference } from './difference.ts'

/** An operation that Hasura and the engine answered in different ways. */
export type Compared = { asked: Asking; expected: Answered; engine: Answered; found: Difference }

type Rule = { reason: string; applies(compared: Compared): boolean }

/**
 * The reason why a difference is on purpose, in words of `packages/engine/docs/differences.md`; null for one that is not.
 */
export function deliberateReason(compared: Compared): string | null {
  return RULES.find(({ applies }) => applies(compared))?.reason ?? null
}

const RULES: readonly Rule[] = [
  {
    reason: 'In lists of texts (`_in`, arrays), Hasura replaces control characters with letters',
    applies: ({ asked }) => hasControlCharacter(asked.body),
  },
  {
    reason: 'Numbers keep their digits in documents of `json` and `jsonb`',
    applies: ({ found, asked }) => found.kind === 'digits' && writesDigits(asked.body),
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
    applies: ({ asked, expected, engine }) =>
      rootFields(asked.body) > 1 && hasErrors(expected) && hasErrors(engine),
  },
  {
    reason:
      'If a concurrent transaction aborts a transaction, the error is always `concurrent-update`',
    applies: ({ engine }) => engine.text.includes('"concurrent-update"'),
  },
]

/** Whether a text in the document or in the variables has a line break or the like. */
function hasControlCharacter(body: unknown): boolean {
  const texts = queryOf(body).match(/"(?:[^"\\\n]|\\.)*"/g) ?? []
  const variables = JSON.stringify(variablesOf(body))
  return [...texts, variables].some((text) => /\\(?:[nrtbf]|u00[01])/.test(text))
}

/** Whether a number is in the request that Hasura would spell otherwise: `1.10`, `1e3`, or with many digits. */
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

function hasErrors({ text }: Answered): boolean {
  return /^\s*\{\s*"errors"/.test(text)
}

/** How many fields the operation has at its root, more or less: names before an opening brace or bracket at depth one. */
function rootFields(body: unknown): number {
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
