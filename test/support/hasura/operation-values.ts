// The rows are those of many-teams.ts.

/** The number of the demo team of the seeds. */
export const ID = '1'.padStart(32, '0')
const HASH = '1'.padStart(64, '0')

/** The number of a team. */
const n = '250'
export const padded = n.padStart(32, 'a')
/** The padded number of a second team, for operations that services batch for several teams. */
export const other = '253'.padStart(32, 'a')
/** The padded number of a team that an operation deletes. */
const third = '252'.padStart(32, 'a')

/** The values of variables by name; other variables get a value of their type. */
export const VALUES: Record<string, unknown> = {
  team_id: `team_${padded}`,
  user_id: `usr_${padded}`,
  api_key_id: `key_${padded}`,
  readable_teams: { id: { _eq: `team_${padded}` } },
  app_id: `app_${padded}`,
  address: `0x${'1'.padStart(40, '0')}`,
  app_or_rp_id: `app_${padded}`,
  rp_id: 'rp_0000000000000000',
  app_ids: [`app_${padded}`, `app_${other}`],
  apps: [`app_${padded}`],
  action_id: `action_${padded}`,
  where: { action_id: { _eq: `action_${padded}` } },
  since: '2026-01-01T00:00:00Z',
  actions: ['vote'],
  invite_id: `inv_${padded}`,
  keys: [`key_${padded}`],
  ids: [`txn_${n}`],
  id: `key_${padded}`,
  email: `${n}@example.com`,
  emails: ['someone@example.com'],
  token_hash: n.padStart(64, 'a'),
  secret_hash: HASH,
  registration_token_hash: HASH,
  email_change_id: `change_${padded}`,
  login_id: `login_${padded}`,
  password_hash: 'x',
  known_hash: 'x',
  devices: [n.padStart(64, 'a')],
  nullifier_hash: `0x${HASH}`,
  nullifier_hashes: [`0x${HASH}`],
  external_nullifier: `0x${HASH}`,
  verifications: [padded, other].map((team) => ({
    action_id: `action_${team}`,
    nullifier_hash: `0x${HASH}`,
  })),
  requests: [padded, other].map((team) => ({
    app_id: `app_${team}`,
    key_hash: HASH,
    fingerprint: HASH,
    action_id: `action_${team}`,
    nullifier_hash: `0x${HASH}`,
    token_id: 'token',
  })),
  key_hash: HASH,
  key_hashes: [HASH],
  fingerprint: HASH,
  counted: [{ key: `key ${n}`, ends_at: new Date().toISOString(), hits: 1 }],
  candidates: { _or: [{ action: { _eq: 'vote' } }, { external_nullifier: { _eq: 'x' } }] },
  chain: 'worldchain',
  application_type: 'web',
  token_endpoint_auth_method: 'client_secret_basic',
  redirect_uris: ['https://example.com/cb'],
  from: '2026-01-01T00:00:00Z',
  to: '2026-01-02T00:00:00Z',
  addresses: [{ key: 'name', value: 'address' }],
}

/** The values for operations that create or delete a row. Other operations must not use this row. */
export const OWN_VALUES: Record<string, Record<string, unknown>> = {
  AnnounceChains: { chains: { worldchain: ['USDCE'] } },
  CreateApiKey: { id: `key_${ID}` },
  DeleteAccount: { user_id: `usr_${'251'.padStart(32, 'a')}` },
  DeleteTeam: { user_id: `usr_${third}`, team_id: `team_${third}` },
  StoreAccountLink: { token_hash: HASH, kind: 'confirm_old_address' },
  StoreInviteToken: { token_hash: HASH },
  StoreKey: { key: signingKey(1) },
  StoreSigningKey: { key: signingKey(2) },
  StoreNextKey: { key: { ...signingKey(3), unless_valid_until: '2026-01-01T00:00:00Z' } },
}

function signingKey(digit: number) {
  const id = `jwk_${String(digit).repeat(32)}`
  return { id, public_jwk: {}, private_jwk_encrypted: 'x', expires_at: '2030-01-01' }
}
