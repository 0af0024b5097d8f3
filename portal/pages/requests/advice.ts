import { PAGE_PATHS } from '../../settings/page-paths.ts'

/** A developer's next step for a code, and the page of the portal that helps. */
export type Advice = { text: string; page?: AdvicePage }

/** A page that helps, and the text of its link. */
export type AdvicePage = { path: (typeof PAGE_PATHS)[keyof typeof PAGE_PATHS]; label: string }

const ACTIONS: AdvicePage = { path: PAGE_PATHS.actions, label: 'Open the actions' }
const DEBUGGER: AdvicePage = { path: PAGE_PATHS.debugProof, label: 'Open the proof debugger' }
const SIGN_IN: AdvicePage = { path: PAGE_PATHS.signIn, label: 'Open the sign-in settings' }
const APP: AdvicePage = { path: PAGE_PATHS.app, label: 'Open the app' }

const WRONG_VALUE: Advice = {
  text: 'Compare the request with the API reference, and correct the field.',
}
const USED_UP: Advice = {
  text: 'The person has verified before. Raise the limit of the action if a person may do it again.',
  page: ACTIONS,
}
const ON_CHAIN: Advice = {
  text: 'The engine of the app is on-chain. Verify its proofs in your contract, or change the engine.',
  page: APP,
}
const WRONG_VALUES: Advice = {
  text: 'The app id, the action or the signal on your server differs from the widget. Paste the proof into the debugger.',
  page: DEBUGGER,
}
const UNKNOWN_ROOT: Advice = {
  text: 'The proof is from another environment, or its root is too old. Staging apps need the simulator.',
  page: DEBUGGER,
}
const NEW_PROOF: Advice = { text: 'Send each proof soon after it was made. Ask for a new proof.' }
const OUR_SIDE: Advice = {
  text: 'Send the request again. If it fails again, give the request id to the operator.',
}
const CREDENTIALS: Advice = {
  text: 'Send the client id and the secret of this app. Create a new secret if you have lost it.',
  page: SIGN_IN,
}
const CANCELLED: Advice = { text: 'Your website gets this error, and can offer the sign-in again.' }
const INTERACTION: Advice = {
  text: 'Your website asked for a sign-in without a page. Leave out prompt=none, because no person stays signed in.',
}
const RESPONSE_TYPE: Advice = {
  text: 'Use a response type that the client has registered, such as code.',
  page: SIGN_IN,
}

const ADVICE: Readonly<Record<string, Advice>> = {
  required: WRONG_VALUE,
  invalid_request: WRONG_VALUE,
  validation_error: WRONG_VALUE,
  invalid_content_type: { text: 'Set the Content-Type that the endpoint expects.' },
  payload_too_large: { text: 'Send only the fields of the API reference.' },
  method_not_allowed: WRONG_VALUE,
  not_found: {
    text: 'Check the ids in the request. The app or the action may be archived, inactive or deleted.',
    page: ACTIONS,
  },
  invalid_action: {
    text: 'Create the action, or correct its identifier in your code.',
    page: ACTIONS,
  },
  action_inactive: { text: 'Activate the action if people may verify again.', page: ACTIONS },
  invalid_engine: ON_CHAIN,
  invalid_protocol: {
    text: 'The action does not accept this protocol. Change the protocol of the action, or the request of your website.',
    page: ACTIONS,
  },
  external_nullifier_mismatch: { text: 'Send only the action, without external_nullifier.' },
  max_verifications_reached: USED_UP,
  already_verified: USED_UP,
  invalid_format: {
    text: 'Send the fields of the widget unchanged, as text.',
    page: DEBUGGER,
  },
  invalid_merkle_root: UNKNOWN_ROOT,
  invalid_root: UNKNOWN_ROOT,
  root_too_old: NEW_PROOF,
  outdated_nullifier: NEW_PROOF,
  proof_used: NEW_PROOF,
  invalid_proof: WRONG_VALUES,
  invalid_public_input: WRONG_VALUES,
  all_verifications_failed: {
    text: 'No proof of the result is valid. The debugger shows each check.',
    page: DEBUGGER,
  },
  invalid_credential_issuer: {
    text: 'Request a credential that IDKit knows, and pass its result on unchanged.',
  },
  credential_not_accepted: {
    text: 'Add the credential to those that the action accepts, or request another one.',
    page: ACTIONS,
  },
  invalid_rp: { text: 'Register the rp id of this app.', page: APP },
  invalid_integrity_bundle: { text: 'Send the result without integrity_bundle.' },
  configuration_error: { text: 'Ask the operator to set WORLD_CHAIN_RPC_URL.' },
  idempotency_key_reused: { text: 'Use a new Idempotency-Key for each different request.' },
  gone: { text: 'Move to the newest version of the endpoint.' },
  rate_limited: { text: 'Wait for the seconds in Retry-After, then send fewer requests.' },
  internal_error: OUR_SIDE,
  unavailable: OUR_SIDE,
  server_error: OUR_SIDE,
  temporarily_unavailable: OUR_SIDE,
  invalid_redirect_uri: {
    text: 'Add the redirect URI to the app. It must be equal, character by character.',
    page: SIGN_IN,
  },
  invalid_client_id: { text: 'Correct the client id of your website.', page: SIGN_IN },
  unauthenticated: CREDENTIALS,
  unauthorized_client: RESPONSE_TYPE,
  unsupported_response_type: RESPONSE_TYPE,
  unsupported_response_mode: { text: 'Use the response mode query, fragment or form_post.' },
  invalid_scope: { text: 'The scope must include openid. It may include email and profile.' },
  invalid_grant_type: { text: 'Send grant_type=authorization_code.' },
  invalid_grant: {
    text: 'Redeem each code once, within ten minutes, with the redirect URI and the verifier of its request.',
  },
  invalid_token: { text: 'Begin a new sign-in to get a new token.' },
  access_denied: CANCELLED,
  login_required: INTERACTION,
  consent_required: INTERACTION,
  interaction_required: INTERACTION,
  sign_in_expired: { text: 'The person took more than ten minutes, or used an old page.' },
  cookie_missing: { text: 'The browser of the person blocks cookies. A normal window helps.' },
  permission_denied: { text: 'The page of the sign-in was changed. Begin a new sign-in.' },
}

/** Returns what to do about a code; null for a code without advice. */
export function adviceFor(code: string): Advice | null {
  return Object.hasOwn(ADVICE, code) ? (ADVICE[code] ?? null) : null
}
