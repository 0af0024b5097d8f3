import { expect, test } from 'vitest'
import { databaseRefusal } from '../../../portal/graphql/database-refusals.ts'

test.each([
  [
    'Check constraint violation. transaction_hash must be 0x and 64 hex digits; got 0x12; 34',
    { attribute: 'transaction_hash', message: 'Must be 0x and 64 hex digits.' },
  ],
  [
    'Check constraint violation. a payment must have token, token_amount and to; got USDCE',
    { message: 'This value is not allowed here.' },
  ],
  [
    'Check constraint violation. redirect_uri must not end with an empty query; got https://a.example?',
    { attribute: 'redirect_uri', message: expect.stringContaining('without a fragment') },
  ],
  ['Uniqueness violation. an unknown rule', null],
])('the portal explains the refusal %j', (message, refusal) => {
  if (refusal) expect(databaseRefusal(message)).toMatchObject(refusal)
  else expect(databaseRefusal(message)).toBeNull()
})
