import { formatField, hashToField } from '../../../lib/proof/encoding.ts'
import { protocol4Signals } from '../../../lib/proof/protocol-4/public-signals.ts'
import { parseRpId, rpIdOfApp } from '../../../lib/proof/protocol-4/rp-id.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { verifierAddress } from '../../../local/chain/deploy-world-id.ts'
import { publishWorldId } from '../../../local/chain/publish-world-id.ts'
import { developmentKey4 } from '../../../local/simulator/development-key/development-key.ts'
import { createProofForger } from '../../../local/simulator/forge.ts'
import { compressProof } from '../../../local/simulator/protocol-4/compress-proof.ts'
import { issuerKey, oprfKeyOf } from '../../../local/simulator/protocol-4/issuers.ts'
import { verifierKeys } from '../../../local/simulator/protocol-4/verifier-keys.ts'
import type { Call } from './http-load.ts'
import { APP } from './verification-requests.ts'

/** An action that the first valid proof creates, because the demo app creates unknown actions. */
const ACTION_4 = 'bench-4'
const ROOT = 4712n
const ISSUER = 1n
const RP_ID = requireValue(parseRpId(rpIdOfApp(APP)), 'the rp id')
const FACTS = {
  root: ROOT,
  issuer: { id: ISSUER, key: issuerKey(ISSUER) },
  relyingParty: { id: RP_ID, oprfKey: oprfKeyOf(RP_ID) },
}

/** Forges results of protocol 4.0 of different people. The proofs are valid once their facts are published. */
export async function forgeVerifications4(count: number): Promise<Call[]> {
  const forge = await createProofForger(await developmentKey4())
  const expiresAtMin = BigInt(Math.floor(Date.now() / 1_000))
  const calls: Call[] = []
  for (let person = 1n; person <= count; person++) {
    const signals = protocol4Signals({
      nullifier: person,
      issuerSchemaId: ISSUER,
      issuerKey: FACTS.issuer.key,
      expiresAtMin,
      credentialGenesisIssuedAtMin: 0n,
      merkleRoot: ROOT,
      treeDepth: 30n,
      rpId: RP_ID,
      action: hashToField(Buffer.from(ACTION_4)),
      oprfKey: FACTS.relyingParty.oprfKey,
      signalHash: 0n,
      nonce: person,
      sessionId: 0n,
    })
    const proof = [...compressProof(await forge(signals)), ROOT].map(formatField)
    const response = {
      ...{ identifier: 'proof_of_human', issuer_schema_id: Number(ISSUER), proof },
      ...{ nullifier: formatField(person), expires_at_min: Number(expiresAtMin) },
    }
    const nonce = formatField(person)
    const body = { protocol_version: '4.0', nonce, action: ACTION_4, responses: [response] }
    calls.push({ path: `/api/v4/verify/${APP}`, body: JSON.stringify(body) })
  }
  return calls
}

/** Publishes the facts behind the forged proofs in the verifier contract for staging apps. */
export async function publishFacts4({ rpcUrl }: { rpcUrl: string }): Promise<void> {
  const verifier = await verifierAddress('staging', (await verifierKeys()).staging)
  await publishWorldId({ rpcUrl, verifier }, FACTS)
}
