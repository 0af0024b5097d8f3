import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { formatField, hashToField } from '../../../../lib/proof/encoding.ts'
import { r } from '../../../../lib/proof/field.ts'
import { protocol4Signals } from '../../../../lib/proof/protocol-4/public-signals.ts'
import { parseRpId, rpIdOfApp } from '../../../../lib/proof/protocol-4/rp-id.ts'
import { formatSessionId } from '../../../../lib/proof/protocol-4/session-id.ts'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import { developmentKey4 } from '../../../../local/simulator/development-key/development-key.ts'
import { createProofForger } from '../../../../local/simulator/forge.ts'
import { compressProof } from '../../../../local/simulator/protocol-4/compress-proof.ts'
import { startWorldChain, VERIFIER } from '../../verification/world-chain.ts'
import { startTestPlatform, type TestPlatform } from '../start-platform.ts'

/** The valid root of the registry, and the issuer of the credentials. */
const ROOT = 4711n
export const ISSUER = 1n
const KEY = { x: 11n, y: 12n }
const OPRF_KEY = { x: 21n, y: 22n }
const TREE_DEPTH = 30n

export let platform: TestPlatform
export let chain: Awaited<ReturnType<typeof startWorldChain>>
export let team: Awaited<ReturnType<TestPlatform['team']>>
/** A staging app with the action `vote` of protocol 4.0. */
export let app: string
let forge: Awaited<ReturnType<typeof createProofForger>>
let people = 0n

/** Starts a platform with a chain of protocol 4.0, whose facts a test may change. The proofs are forged with the development key. */
export function setTheScene4(): void {
  beforeAll(async () => {
    const key = await developmentKey4()
    forge = await createProofForger(key)
    chain = await startWorldChain({
      treeDepth: TREE_DEPTH,
      roots: new Set([ROOT]),
      issuers: new Map([[ISSUER, KEY]]),
    })
    platform = await startTestPlatform({
      WORLD_CHAIN_RPC_URL: chain.rpcUrl,
      WORLD_CHAIN_ID: '480',
      WORLD_ID_VERIFIER_PRODUCTION: VERIFIER,
      WORLD_ID_VERIFIER_STAGING: VERIFIER,
      VERIFICATION_KEYS_4_STAGING: 'development-4',
      DEVELOPMENT_KEY_4_FILE: key.verificationKeyFile,
      WORLD_ID_CROSS_CHECK_ONE_IN: '0',
    })
    team = await platform.team()
    app = await makeApp4()
    await makeAction4()
  })
  afterAll(async () => {
    await platform?.stop()
    await chain?.stop()
  })
}

/** Creates an app whose rp id has an OPRF key on the chain. */
export async function makeApp4(fields: { is_staging?: boolean; engine?: string } = {}) {
  const id = await platform.app({ team, ...fields })
  chain.state.oprfKeys.set(rpNumber(id), OPRF_KEY)
  return id
}

type ActionFields = { action?: string; max_verifications?: number; status?: string }

/** Creates an action of protocol 4.0, by default the action `vote` of `app`. */
export async function makeAction4(
  {
    protocol = '4.0',
    allows_repeat = false,
    credentials = ['proof_of_human'],
    ...fields
  }: ActionFields & {
    protocol?: string
    allows_repeat?: boolean
    credentials?: string[]
  } = {},
  appId = app,
) {
  const id = await platform.action(appId, fields)
  await platform.db.query(
    'update action set protocol = $2, allows_repeat = $3, credentials = $4 where id = $1',
    [id, protocol, allows_repeat, credentials],
  )
  return id
}

/** The statement of a proof; each field has a value that the platform accepts. */
type Statement = {
  appId?: string
  action?: string
  nullifier?: bigint
  nonce?: bigint
  signalHash?: bigint
  issuer?: bigint
  expires?: bigint
  root?: bigint
  rpId?: bigint
}

/** Forges the body of a verification by a new person, or by the person of the nullifier. */
export async function result4(statement: Statement = {}, change: object = {}) {
  const { action = 'vote', ...rest } = statement
  const nonce = statement.nonce ?? randomField()
  const response = await response4({ ...rest, action, nonce })
  return {
    protocol_version: '4.0',
    nonce: hex(nonce),
    action,
    environment: 'staging',
    responses: [response],
    ...change,
  }
}

/** Forges the proof of one credential. The nonce must be that of the whole result. */
export async function response4({ action = 'vote', ...statement }: Statement & { nonce: bigint }) {
  const { nullifier, proof, common } = await proofOf(statement, {
    action: hashToField(Buffer.from(action)),
    sessionId: 0n,
  })
  return { ...common, nullifier: hex(nullifier), proof }
}

/** Forges the body with a session proof. */
export async function sessionResult4(statement: Statement = {}, change: object = {}) {
  const nonce = statement.nonce ?? randomField()
  const commitment = 1_000n + (statement.nullifier ?? 0n)
  const session_id = formatSessionId({ commitment, oprfSeed: (1n << 248n) | 7n })
  const action = (2n << 248n) | 5n
  const { nullifier, proof, common } = await proofOf(
    { ...statement, nonce },
    { action, sessionId: commitment },
  )
  return {
    protocol_version: '4.0',
    nonce: hex(nonce),
    session_id,
    environment: 'staging',
    responses: [{ ...common, session_nullifier: [hex(nullifier), hex(action)], proof }],
    ...change,
  }
}

async function proofOf(
  {
    appId = app,
    nullifier = nextPerson(),
    ...statement
  }: Omit<Statement, 'action'> & { nonce: bigint },
  purpose: { action: bigint; sessionId: bigint },
) {
  const { signalHash = 0n, issuer = ISSUER, root = ROOT, nonce } = statement
  const expiresAtMin = statement.expires ?? BigInt(Math.floor(Date.now() / 1_000)) + 60n
  const inputs = {
    ...purpose,
    nullifier,
    nonce,
    signalHash,
    issuerSchemaId: issuer,
    issuerKey: KEY,
    expiresAtMin,
    credentialGenesisIssuedAtMin: 0n,
    merkleRoot: root,
    treeDepth: TREE_DEPTH,
    rpId: statement.rpId ?? rpNumber(appId),
    oprfKey: OPRF_KEY,
  }
  const words = compressProof(await forge(protocol4Signals(inputs)))
  const common = {
    identifier: 'proof_of_human',
    signal_hash: hex(signalHash),
    issuer_schema_id: Number(issuer),
    expires_at_min: Number(expiresAtMin),
  }
  return { nullifier, proof: [...words, root].map(hex), common }
}

/** Sends a result to `/api/v4/verify`. */
export function verify4(body: object, id = app, headers: Record<string, string> = {}) {
  return platform.post(`/api/v4/verify/${id}`, body, headers)
}

/** Reads the counts of an action by nullifier. */
export async function countsOf(action = 'vote', appId = app): Promise<Record<string, number>> {
  const { rows } = await platform.db.query(
    `select nullifier_hash, uses from nullifier
    join action on action.id = action_id where app_id = $1 and action.action = $2`,
    [appId, action],
  )
  return Object.fromEntries(rows.map(({ nullifier_hash, uses }) => [nullifier_hash, uses]))
}

/** Returns the nullifier of a result, as the platform stores it. */
export function nullifierOf({ responses: [first] }: { responses: { nullifier: string }[] }) {
  return formatField(BigInt(requireValue(first, 'the first response').nullifier))
}

function nextPerson(): bigint {
  people += 1n
  return 1_000_000n + people
}

function rpNumber(appId: string): bigint {
  return requireValue(parseRpId(rpIdOfApp(appId)), 'the number of an rp id')
}

function randomField(): bigint {
  return BigInt(`0x${randomBytes(32).toString('hex')}`) % r
}

function hex(n: bigint): string {
  return `0x${n.toString(16)}`
}
