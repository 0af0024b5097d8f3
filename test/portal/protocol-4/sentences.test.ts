import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Reason4 } from '../../../lib/verification/protocol-4/verify-proof-4.ts'
import { describeAnswer } from '../../../portal/pages/try-it/describe-answer.ts'
import { refusalInWords } from '../../../portal/pages/try-it/refusals.ts'

const fromExample = createRequire(resolve('examples/idkit/package.json'))

const REASONS: Record<Reason4, true> = {
  invalid_format: true,
  invalid_public_input: true,
  invalid_root: true,
  invalid_credential_issuer: true,
  invalid_rp: true,
  outdated_nullifier: true,
  invalid_proof: true,
}

/** The codes of IDKit that no wallet sends for a request of the page, or that say nothing. */
const CODES_WITHOUT_SENTENCE = [
  ...['connection_failed', 'failed_by_host_app', 'generic_error'],
  ...['invalid_rp_id_format', 'timeout', 'cancelled'],
]

test.each(Object.keys(REASONS))('the code %s of a rejected proof has a sentence', (code) => {
  const { title, results } = describeAnswer({
    code: 'all_verifications_failed',
    detail: 'No proof is valid.',
    attribute: null,
    results: [{ identifier: 'selfie', success: false, code, detail: 'A detail.' }],
  })
  expect(title).toBe('Rejected')
  expect(results).toEqual([{ identifier: 'selfie', text: expect.stringMatching(/^[A-Z].*\.$/) }])
  expect(results[0]?.text).not.toContain(code)
})

test('an unknown code of a rejected proof is shown with its detail', () => {
  const { results } = describeAnswer({
    results: [{ identifier: 'mnc', success: false, code: 'new_code', detail: 'A detail.' }],
  })
  expect(results).toEqual([{ identifier: 'mnc', text: 'A detail. (new_code)' }])
})

test('each error code that a wallet may send to IDKit has a sentence', () => {
  const { IDKitErrorCodes } = IdKit.parse(fromExample('@worldcoin/idkit'))
  const codes = Object.values(IDKitErrorCodes)
  expect(codes.length).toBeGreaterThan(20)
  const unexplainedCodes = codes.filter((code) => refusalInWords(code).text.includes(code))
  expect(unexplainedCodes.toSorted()).toEqual(CODES_WITHOUT_SENTENCE.toSorted())
})

const IdKit = z.object({ IDKitErrorCodes: z.record(z.string(), z.string()) })
