import { expect, test } from 'vitest'
import { rpIdOfApp } from '../../../../lib/proof/protocol-4/rp-id.ts'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import { ProveInput4, proveForPerson4 } from '../../../../local/simulator/protocol-4/prove-input.ts'
import { walletTools } from '../../../support/simulator/wallet-tools.ts'
import { startTestPlatform } from '../../../support/webhooks/start-platform.ts'

// Compares each verdict on proofs of simulated people with the verifier contract on the local chain.

test('the verifier contract agrees with the service on each proof, valid or hostile', async () => {
  const platform = await startTestPlatform()
  const instance = await platform.anotherInstance({ WORLD_ID_CROSS_CHECK_ONE_IN: '1' })
  const team = await platform.team()
  const [app, other] = [await platform.app({ team }), await platform.app({ team })]
  for (const id of [app, other])
    await platform.db.query(
      "insert into action (app_id, action, protocol, max_verifications) values ($1, 'vote', '4.0', 0)",
      [id],
    )
  const { protocol4, rpcUrl } = walletTools(platform.anvil)
  const prove = (fields: object) =>
    proveForPerson4(ProveInput4.parse({ protocol: '4.0', ...fields }), { ...protocol4, rpcUrl })
  const checks = instance.registry.getSingleMetric('contract_cross_checks_total')
  const counts = async () =>
    Object.fromEntries(
      (await requireValue(checks, 'the metric').get()).values.map(({ labels, value }) => [
        labels.answer,
        value,
      ]),
    )
  let requests = 0
  /** Waits for the cross-check, because the service leaves out cross-checks while four are running. */
  const outcomeOf = async (body: object, id = app): Promise<string> => {
    const reply = await fetch(`${instance.baseUrl}/api/v4/verify/${rpIdOfApp(id)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { results } = Object(await reply.json())
    requests += 1
    await expect.poll(async () => sumOf(await counts()), { timeout: 10_000 }).toBe(requests)
    return `${reply.status} ${results[0].code ?? 'valid'}`
  }

  // A proof for the other app, so that the chain has the key of its relying party.
  await prove({ app_id: other, action: 'vote', identity: 'bob' })
  const proof = await prove({ app_id: app, action: 'vote', identity: 'ada', signal: 'yes' })
  const session = await prove({ app_id: app, session_id: 'create', identity: 'ada' })
  const [item, sessionItem] = [proof.responses[0], session.responses[0]]
  const [nullifier, action] = requireValue(sessionItem?.session_nullifier, 'the session nullifier')
  const withItem = (change: object) => ({ ...proof, responses: [{ ...item, ...change }] })
  const withWord = (index: number, word: string) =>
    withItem({ proof: requireValue(item, 'the proof').proof.with(index, word) })
  const old = Math.floor(Date.now() / 1_000) - 100_000

  expect(await outcomeOf(proof)).toBe('200 valid')
  expect(await outcomeOf(session)).toBe('200 valid')
  expect(await outcomeOf(proof, other)).toBe('400 invalid_proof')
  expect(await outcomeOf(session, other)).toBe('400 invalid_proof')
  expect(await outcomeOf({ ...proof, nonce: '0x1' })).toBe('400 invalid_proof')
  expect(await outcomeOf(withItem({ signal_hash: '0x1' }))).toBe('400 invalid_proof')
  expect(await outcomeOf(withItem({ nullifier: '0x1' }))).toBe('400 invalid_proof')
  expect(await outcomeOf(withItem({ expires_at_min: old }))).toBe('400 outdated_nullifier')
  expect(await outcomeOf(withItem({ issuer_schema_id: 77 }))).toBe('400 invalid_credential_issuer')
  expect(await outcomeOf(withWord(4, '0x1'))).toBe('400 invalid_root')
  for (const index of [0, 1, 2, 3])
    expect(await outcomeOf(withWord(index, '0x1'))).toBe('400 invalid_proof')
  const asUniqueness = { ...proof, responses: [{ ...sessionItem, nullifier }] }
  expect(await outcomeOf(asUniqueness)).toBe('400 invalid_proof')
  const asSession = { ...item, session_nullifier: [item?.nullifier, action] }
  expect(await outcomeOf({ ...session, responses: [asSession] })).toBe('400 invalid_proof')

  expect(await counts()).toEqual({ agrees: requests, differs: 0, unanswered: 0 })
  await instance.stop()
  await platform.stop()
})

function sumOf(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
