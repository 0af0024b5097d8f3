import { z } from 'zod'
import { Failure } from '../../session/response-schemas.ts'
import { limitInWords } from '../action/limit-in-words.ts'
import type { Message } from './refusals.ts'

/** The meaning of the platform's answer: a message, and a sentence for each proof of protocol 4.0. */
export type Description = Message & { color: string; results: ProofResult[] }

/** The result of one proof. `text` explains a rejection. */
export type ProofResult = { identifier: string; text: string }

const Uses = z.object({ uses: z.number(), max_uses: z.number() })

const Result = z.object({
  identifier: z.string(),
  success: z.boolean(),
  code: z.string().optional(),
  detail: z.string().optional(),
})

const Answer4 = z.object({
  success: z.boolean().optional(),
  message: z.string().optional(),
  results: z.array(Result),
})

const REUSE = 'nullifier reuse'

/** Explains an answer of a verify endpoint. */
export function describeAnswer(answer: unknown): Description {
  const results = resultsOf(answer)
  const uses = Uses.safeParse(answer).data
  const answer4 = Answer4.safeParse(answer).data
  if (answer4?.message?.includes(REUSE))
    return {
      color: 'teal',
      title: 'Verified again',
      text: 'This person had verified before. The action allows a repeat, so the answer is 200, and the person was not counted again.',
      results,
    }
  if (uses) return { color: 'teal', title: 'Verified', text: usesInWords(uses), results }
  if (answer4?.success)
    return { color: 'teal', title: 'Verified', text: 'The platform counted this person.', results }
  const failure = Failure.safeParse(answer).data
  if (failure?.code === 'max_verifications_reached')
    return {
      color: 'orange',
      title: 'Already verified',
      text: 'This person has reached the limit of this action and was not counted again. Ask again, and answer as another person.',
      results,
    }
  const detail = failure?.detail ?? 'The platform gave no reason.'
  const text = results.length > 0 ? 'The platform counted no person.' : detail
  return { color: 'red', title: 'Rejected', text, results }
}

function usesInWords({ uses, max_uses }: z.infer<typeof Uses>): string {
  const times = uses === 1 ? 'once' : `${uses} times`
  return `This person has now verified ${times}. Each person may verify ${limitInWords(max_uses)}.`
}

function resultsOf(answer: unknown): ProofResult[] {
  const { results = [] } = Answer4.safeParse(answer).data ?? {}
  return results.map(({ identifier, success, code = '', detail = '' }) => ({
    identifier,
    text: success ? 'The proof is valid.' : (SENTENCES[code] ?? `${detail} (${code})`),
  }))
}

/** The sentences for the codes of rejected proofs in `results`. */
const SENTENCES: Readonly<Record<string, string>> = {
  invalid_format: 'A field of the proof is missing or cannot be read.',
  invalid_root: 'The registry of World IDs does not know the Merkle root, or the root is too old.',
  invalid_credential_issuer: 'The issuer of the credential is not registered.',
  invalid_rp: 'The rp id of this app has no OPRF key in the registry.',
  outdated_nullifier: 'The proof has expired. Ask for a new proof.',
  invalid_public_input: 'A number of the proof is larger than the field allows.',
  invalid_proof:
    'The proof is not valid for these values. It was made for another app, action, nonce or signal.',
}
