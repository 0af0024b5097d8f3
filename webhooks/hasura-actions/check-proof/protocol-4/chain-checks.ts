import { CREDENTIALS_OF_NEW_ACTION, mayName } from '../../../../lib/proof/protocol-4/credentials.ts'
import type { Examination4 } from '../../../../lib/verification/protocol-4/verify-proof-4.ts'
import {
  createFailure,
  createPass,
  createUnknown,
  type Judgement,
  UNREADABLE,
} from '../judgement.ts'
import type { PastedProof4 } from './pasted-proof-4.ts'

type ProofOnChain = {
  app: { rp_id: string; creates_actions: boolean }
  candidate: { action?: { credentials: readonly string[] } | undefined }
  pastedProof: Pick<PastedProof4, 'kind' | 'fields' | 'identifier'>
  examination: Examination4 | null
}

/** Checks that the registry of World IDs accepts the Merkle root. */
export function judgeRegistryRoot({ examination }: ProofOnChain): Judgement {
  return judge(examination?.isRootValid, {
    pass: 'The registry of World IDs accepts this Merkle root.',
    failure:
      'The registry of World IDs does not know this Merkle root, or the root is too old. The root is the last word of the proof.',
  })
}

/**
 * Checks that the credential's issuer is registered, that the credential has its own name, and that the action accepts the
 * credential. A session belongs to no action.
 */
export function judgeIssuer({
  app,
  candidate: { action },
  examination,
  pastedProof: { kind, fields, identifier },
}: ProofOnChain): Judgement {
  const id = String(fields?.issuerSchemaId)
  if (examination?.isIssuerRegistered && fields) {
    if (!mayName(identifier, fields.issuerSchemaId))
      return createFailure(`The issuer with the id ${id} gives no credential "${identifier}".`)
    const newAction = app.creates_actions ? CREDENTIALS_OF_NEW_ACTION : undefined
    const accepted: readonly string[] | undefined = action?.credentials ?? newAction
    if (kind === 'uniqueness' && accepted && !accepted.includes(identifier))
      return createFailure(
        `The action accepts ${accepted.join(', ')}, and not the credential "${identifier}".`,
      )
  }
  return judge(examination?.isIssuerRegistered, {
    pass: `The issuer with the id ${id} is registered.`,
    failure: `No issuer with the id ${id} is registered.`,
  })
}

/** Checks that the relying party has an OPRF key, without which no wallet can make a nullifier for the app. */
export function judgeOprfKey({ examination, app: { rp_id } }: ProofOnChain): Judgement {
  return judge(examination?.hasOprfKey, {
    pass: `The relying party ${rp_id} has an OPRF key.`,
    failure: `The relying party ${rp_id} has no OPRF key: the registry does not know the rp id of this app.`,
  })
}

/** Checks that the proof is recent enough: it shows until when the credential is valid. */
export function judgeExpiry({ examination, pastedProof: { fields } }: ProofOnChain): Judgement {
  const expiry = examination?.expiry
  if (!expiry || !fields) return createUnknown(UNREADABLE)
  const times = `expires_at_min is ${timeInWords(fields.expiresAtMin)}. The oldest accepted time is ${timeInWords(expiry.oldest)}.`
  return expiry.isRecent ? createPass(times) : createFailure(`The proof has expired. ${times}`)
}

function judge(
  result: boolean | null | undefined,
  { pass, failure }: { pass: string; failure: string },
): Judgement {
  if (result == null) return createUnknown(UNREADABLE)
  return result ? createPass(pass) : createFailure(failure)
}

/** The latest time of a JavaScript date, in seconds. */
const MAX_DATE_SECONDS = 8_640_000_000_000n

function timeInWords(seconds: bigint): string {
  if (seconds > MAX_DATE_SECONDS || seconds < 0n) return `${seconds} seconds after 1970`
  return new Date(Number(seconds) * 1_000).toISOString()
}
