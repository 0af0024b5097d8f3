import { expect, test } from 'vitest'
import { realProof } from '../../../lib/proof/examples/real-proofs.ts'
import { scopeOfAction } from '../../../lib/proof/scope.ts'

test('the scope of an action depends on its app and its name, not on its id', () => {
  const { external_nullifier } = realProof('hola-mundo')
  const action = { app_id: 'app_b5bf70a63e4ecd0be5f1b754b6675728', action: 'verify-identity' }
  for (const id of ['action_1', 'action_2'])
    expect(scopeOfAction({ ...action, id })).toEqual({
      externalNullifier: BigInt(external_nullifier),
      isLegacy: false,
    })
})

test('the scope of a legacy action depends only on its id', () => {
  const { action_id: id = '', external_nullifier } = realProof('testtest2-v1')
  for (const action of [
    { app_id: 'app_1', action: '' },
    { app_id: 'app_2', action: 'vote' },
  ])
    expect(scopeOfAction({ ...action, id })).toEqual({
      externalNullifier: BigInt(external_nullifier),
      isLegacy: true,
    })
})
