/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import { type GraphQLClient, type RequestOptions } from 'graphql-request';
import { gql } from 'graphql-request';
type GraphQLClientRequestHeaders = RequestOptions['requestHeaders'];
export type Boolean_Comparison_Exp = {
  _eq?: boolean | null | undefined;
  _gt?: boolean | null | undefined;
  _gte?: boolean | null | undefined;
  _in?: Array<boolean> | null | undefined;
  _is_null?: boolean | null | undefined;
  _lt?: boolean | null | undefined;
  _lte?: boolean | null | undefined;
  _neq?: boolean | null | undefined;
  _nin?: Array<boolean> | null | undefined;
};

export type Int_Comparison_Exp = {
  _eq?: number | null | undefined;
  _gt?: number | null | undefined;
  _gte?: number | null | undefined;
  _in?: Array<number> | null | undefined;
  _is_null?: boolean | null | undefined;
  _lt?: number | null | undefined;
  _lte?: number | null | undefined;
  _neq?: number | null | undefined;
  _nin?: Array<number> | null | undefined;
};

export type String_Array_Comparison_Exp = {
  _contained_in?: Array<string> | null | undefined;
  _contains?: Array<string> | null | undefined;
  _eq?: Array<string> | null | undefined;
  _gt?: Array<string> | null | undefined;
  _gte?: Array<string> | null | undefined;
  _in?: Array<Array<string>> | null | undefined;
  _is_null?: boolean | null | undefined;
  _lt?: Array<string> | null | undefined;
  _lte?: Array<string> | null | undefined;
  _neq?: Array<string> | null | undefined;
  _nin?: Array<Array<string>> | null | undefined;
};

export type String_Comparison_Exp = {
  _eq?: string | null | undefined;
  _gt?: string | null | undefined;
  _gte?: string | null | undefined;
  _ilike?: string | null | undefined;
  _in?: Array<string> | null | undefined;
  _iregex?: string | null | undefined;
  _is_null?: boolean | null | undefined;
  _like?: string | null | undefined;
  _lt?: string | null | undefined;
  _lte?: string | null | undefined;
  _neq?: string | null | undefined;
  _nilike?: string | null | undefined;
  _nin?: Array<string> | null | undefined;
  _niregex?: string | null | undefined;
  _nlike?: string | null | undefined;
  _nregex?: string | null | undefined;
  _nsimilar?: string | null | undefined;
  _regex?: string | null | undefined;
  _similar?: string | null | undefined;
};

export type Action_Bool_Exp = {
  _and?: Array<Action_Bool_Exp> | null | undefined;
  _not?: Action_Bool_Exp | null | undefined;
  _or?: Array<Action_Bool_Exp> | null | undefined;
  action?: String_Comparison_Exp | null | undefined;
  allows_repeat?: Boolean_Comparison_Exp | null | undefined;
  app?: App_Bool_Exp | null | undefined;
  app_id?: String_Comparison_Exp | null | undefined;
  created_at?: Timestamptz_Comparison_Exp | null | undefined;
  credentials?: String_Array_Comparison_Exp | null | undefined;
  description?: String_Comparison_Exp | null | undefined;
  engine?: String_Comparison_Exp | null | undefined;
  external_nullifier?: String_Comparison_Exp | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
  is_staging?: Boolean_Comparison_Exp | null | undefined;
  max_accounts_per_user?: Int_Comparison_Exp | null | undefined;
  max_verifications?: Int_Comparison_Exp | null | undefined;
  name?: String_Comparison_Exp | null | undefined;
  nullifiers?: Nullifier_Bool_Exp | null | undefined;
  protocol?: String_Comparison_Exp | null | undefined;
  return_url?: String_Comparison_Exp | null | undefined;
  status?: String_Comparison_Exp | null | undefined;
  updated_at?: Timestamptz_Comparison_Exp | null | undefined;
};

export type Api_Key_Bool_Exp = {
  _and?: Array<Api_Key_Bool_Exp> | null | undefined;
  _not?: Api_Key_Bool_Exp | null | undefined;
  _or?: Array<Api_Key_Bool_Exp> | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
  is_active?: Boolean_Comparison_Exp | null | undefined;
  last_used_at?: Timestamptz_Comparison_Exp | null | undefined;
  secret_hash?: String_Comparison_Exp | null | undefined;
  team?: Team_Bool_Exp | null | undefined;
  team_id?: String_Comparison_Exp | null | undefined;
};

export type App_Bool_Exp = {
  _and?: Array<App_Bool_Exp> | null | undefined;
  _not?: App_Bool_Exp | null | undefined;
  _or?: Array<App_Bool_Exp> | null | undefined;
  actions?: Action_Bool_Exp | null | undefined;
  counted_requests?: Counted_Request_Bool_Exp | null | undefined;
  created_at?: Timestamptz_Comparison_Exp | null | undefined;
  creates_actions?: Boolean_Comparison_Exp | null | undefined;
  engine?: String_Comparison_Exp | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
  is_archived?: Boolean_Comparison_Exp | null | undefined;
  is_staging?: Boolean_Comparison_Exp | null | undefined;
  is_verified?: Boolean_Comparison_Exp | null | undefined;
  logo_url?: String_Comparison_Exp | null | undefined;
  name?: String_Comparison_Exp | null | undefined;
  redirects?: Redirect_Bool_Exp | null | undefined;
  refused_requests?: Refused_Request_Bool_Exp | null | undefined;
  request_keys?: Request_Key_Bool_Exp | null | undefined;
  rp_id?: String_Comparison_Exp | null | undefined;
  sign_in_client?: Sign_In_Client_Bool_Exp | null | undefined;
  status?: String_Comparison_Exp | null | undefined;
  team?: Team_Bool_Exp | null | undefined;
  team_id?: String_Comparison_Exp | null | undefined;
  transactions?: Transaction_Bool_Exp | null | undefined;
  updated_at?: Timestamptz_Comparison_Exp | null | undefined;
};

export type Bigint_Comparison_Exp = {
  _eq?: string | null | undefined;
  _gt?: string | null | undefined;
  _gte?: string | null | undefined;
  _in?: Array<string> | null | undefined;
  _is_null?: boolean | null | undefined;
  _lt?: string | null | undefined;
  _lte?: string | null | undefined;
  _neq?: string | null | undefined;
  _nin?: Array<string> | null | undefined;
};

export type Counted_Request_Bool_Exp = {
  _and?: Array<Counted_Request_Bool_Exp> | null | undefined;
  _not?: Counted_Request_Bool_Exp | null | undefined;
  _or?: Array<Counted_Request_Bool_Exp> | null | undefined;
  app_id?: String_Comparison_Exp | null | undefined;
  created_at?: Timestamptz_Comparison_Exp | null | undefined;
  fingerprint?: String_Comparison_Exp | null | undefined;
  key_hash?: String_Comparison_Exp | null | undefined;
  max_uses?: Int_Comparison_Exp | null | undefined;
  nullifier_hash?: String_Comparison_Exp | null | undefined;
  outcomes?: Jsonb_Comparison_Exp | null | undefined;
  token_id?: String_Comparison_Exp | null | undefined;
  uses?: Int_Comparison_Exp | null | undefined;
  verification_level?: String_Comparison_Exp | null | undefined;
  verified_at?: Timestamptz_Comparison_Exp | null | undefined;
};

export type Invite_Bool_Exp = {
  _and?: Array<Invite_Bool_Exp> | null | undefined;
  _not?: Invite_Bool_Exp | null | undefined;
  _or?: Array<Invite_Bool_Exp> | null | undefined;
  created_at?: Timestamptz_Comparison_Exp | null | undefined;
  email?: String_Comparison_Exp | null | undefined;
  expires_at?: Timestamptz_Comparison_Exp | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
  invited_by?: String_Comparison_Exp | null | undefined;
  invitee?: User_Bool_Exp | null | undefined;
  inviter?: User_Bool_Exp | null | undefined;
  mailed_at?: Timestamptz_Comparison_Exp | null | undefined;
  role?: String_Comparison_Exp | null | undefined;
  team?: Team_Bool_Exp | null | undefined;
  team_id?: String_Comparison_Exp | null | undefined;
  updated_at?: Timestamptz_Comparison_Exp | null | undefined;
};

export type Jsonb_Cast_Exp = {
  String?: String_Comparison_Exp | null | undefined;
};

export type Jsonb_Comparison_Exp = {
  _cast?: Jsonb_Cast_Exp | null | undefined;
  _contained_in?: unknown;
  _contains?: unknown;
  _eq?: unknown;
  _gt?: unknown;
  _gte?: unknown;
  _has_key?: string | null | undefined;
  _has_keys_all?: Array<string> | null | undefined;
  _has_keys_any?: Array<string> | null | undefined;
  _in?: Array<unknown> | null | undefined;
  _is_null?: boolean | null | undefined;
  _lt?: unknown;
  _lte?: unknown;
  _neq?: unknown;
  _nin?: Array<unknown> | null | undefined;
};

export type Jwks_Insert_Input = {
  expires_at?: string | null | undefined;
  id?: string | null | undefined;
  private_jwk_encrypted?: string | null | undefined;
  public_jwk?: unknown;
  use?: string | null | undefined;
};

export type Known_Device_Bool_Exp = {
  _and?: Array<Known_Device_Bool_Exp> | null | undefined;
  _not?: Known_Device_Bool_Exp | null | undefined;
  _or?: Array<Known_Device_Bool_Exp> | null | undefined;
  device_hash?: String_Comparison_Exp | null | undefined;
  last_login_at?: Timestamptz_Comparison_Exp | null | undefined;
  user_id?: String_Comparison_Exp | null | undefined;
};

export type Membership_Bool_Exp = {
  _and?: Array<Membership_Bool_Exp> | null | undefined;
  _not?: Membership_Bool_Exp | null | undefined;
  _or?: Array<Membership_Bool_Exp> | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
  role?: String_Comparison_Exp | null | undefined;
  team?: Team_Bool_Exp | null | undefined;
  team_id?: String_Comparison_Exp | null | undefined;
  user?: User_Bool_Exp | null | undefined;
  user_id?: String_Comparison_Exp | null | undefined;
};

export type Nullifier_Bool_Exp = {
  _and?: Array<Nullifier_Bool_Exp> | null | undefined;
  _not?: Nullifier_Bool_Exp | null | undefined;
  _or?: Array<Nullifier_Bool_Exp> | null | undefined;
  action?: Action_Bool_Exp | null | undefined;
  action_id?: String_Comparison_Exp | null | undefined;
  created_at?: Timestamptz_Comparison_Exp | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
  nullifier_hash?: String_Comparison_Exp | null | undefined;
  updated_at?: Timestamptz_Comparison_Exp | null | undefined;
  uses?: Int_Comparison_Exp | null | undefined;
};

export type Redirect_Bool_Exp = {
  _and?: Array<Redirect_Bool_Exp> | null | undefined;
  _not?: Redirect_Bool_Exp | null | undefined;
  _or?: Array<Redirect_Bool_Exp> | null | undefined;
  app?: App_Bool_Exp | null | undefined;
  app_id?: String_Comparison_Exp | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
  redirect_uri?: String_Comparison_Exp | null | undefined;
};

export type Refused_Request_Bool_Exp = {
  _and?: Array<Refused_Request_Bool_Exp> | null | undefined;
  _not?: Refused_Request_Bool_Exp | null | undefined;
  _or?: Array<Refused_Request_Bool_Exp> | null | undefined;
  app?: App_Bool_Exp | null | undefined;
  app_id?: String_Comparison_Exp | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
};

export type Request_Key_Bool_Exp = {
  _and?: Array<Request_Key_Bool_Exp> | null | undefined;
  _not?: Request_Key_Bool_Exp | null | undefined;
  _or?: Array<Request_Key_Bool_Exp> | null | undefined;
  address?: String_Comparison_Exp | null | undefined;
  app?: App_Bool_Exp | null | undefined;
  app_id?: String_Comparison_Exp | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
  is_active?: Boolean_Comparison_Exp | null | undefined;
};

export type Sign_In_Client_Bool_Exp = {
  _and?: Array<Sign_In_Client_Bool_Exp> | null | undefined;
  _not?: Sign_In_Client_Bool_Exp | null | undefined;
  _or?: Array<Sign_In_Client_Bool_Exp> | null | undefined;
  app?: App_Bool_Exp | null | undefined;
  app_id?: String_Comparison_Exp | null | undefined;
  application_type?: String_Comparison_Exp | null | undefined;
  created_at?: Timestamptz_Comparison_Exp | null | undefined;
  is_public?: Boolean_Comparison_Exp | null | undefined;
  registered_at?: Timestamptz_Comparison_Exp | null | undefined;
  registration_token_hash?: String_Comparison_Exp | null | undefined;
  response_types?: Jsonb_Comparison_Exp | null | undefined;
  secret_hash?: String_Comparison_Exp | null | undefined;
  token_endpoint_auth_method?: String_Comparison_Exp | null | undefined;
};

export type Store_Next_Key_Args = {
  expires_at?: string | null | undefined;
  id?: string | null | undefined;
  private_jwk_encrypted?: string | null | undefined;
  public_jwk?: unknown;
  unless_valid_until?: string | null | undefined;
};

export type Team_Bool_Exp = {
  _and?: Array<Team_Bool_Exp> | null | undefined;
  _not?: Team_Bool_Exp | null | undefined;
  _or?: Array<Team_Bool_Exp> | null | undefined;
  api_keys?: Api_Key_Bool_Exp | null | undefined;
  apps?: App_Bool_Exp | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
  invites?: Invite_Bool_Exp | null | undefined;
  memberships?: Membership_Bool_Exp | null | undefined;
  name?: String_Comparison_Exp | null | undefined;
};

export type Timestamptz_Comparison_Exp = {
  _eq?: string | null | undefined;
  _gt?: string | null | undefined;
  _gte?: string | null | undefined;
  _in?: Array<string> | null | undefined;
  _is_null?: boolean | null | undefined;
  _lt?: string | null | undefined;
  _lte?: string | null | undefined;
  _neq?: string | null | undefined;
  _nin?: Array<string> | null | undefined;
};

export type Transaction_Bool_Exp = {
  _and?: Array<Transaction_Bool_Exp> | null | undefined;
  _not?: Transaction_Bool_Exp | null | undefined;
  _or?: Array<Transaction_Bool_Exp> | null | undefined;
  app?: App_Bool_Exp | null | undefined;
  app_id?: String_Comparison_Exp | null | undefined;
  block_hash?: String_Comparison_Exp | null | undefined;
  block_number?: Bigint_Comparison_Exp | null | undefined;
  block_timestamp?: Timestamptz_Comparison_Exp | null | undefined;
  chain?: String_Comparison_Exp | null | undefined;
  checked_at?: Timestamptz_Comparison_Exp | null | undefined;
  created_at?: Timestamptz_Comparison_Exp | null | undefined;
  entered_at?: Timestamptz_Comparison_Exp | null | undefined;
  expected_from?: String_Comparison_Exp | null | undefined;
  failure_reason?: String_Comparison_Exp | null | undefined;
  from?: String_Comparison_Exp | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
  is_final?: Boolean_Comparison_Exp | null | undefined;
  leased_at?: Timestamptz_Comparison_Exp | null | undefined;
  leases?: Int_Comparison_Exp | null | undefined;
  nonce?: Bigint_Comparison_Exp | null | undefined;
  not_before?: Timestamptz_Comparison_Exp | null | undefined;
  reference?: String_Comparison_Exp | null | undefined;
  seen_at?: Timestamptz_Comparison_Exp | null | undefined;
  sender?: String_Comparison_Exp | null | undefined;
  timestamp?: Timestamptz_Comparison_Exp | null | undefined;
  to?: String_Comparison_Exp | null | undefined;
  token?: String_Comparison_Exp | null | undefined;
  token_amount?: String_Comparison_Exp | null | undefined;
  transaction_hash?: String_Comparison_Exp | null | undefined;
  transaction_id?: String_Comparison_Exp | null | undefined;
  transaction_status?: String_Comparison_Exp | null | undefined;
  type?: String_Comparison_Exp | null | undefined;
  updated_at?: Timestamptz_Comparison_Exp | null | undefined;
};

export type User_Bool_Exp = {
  _and?: Array<User_Bool_Exp> | null | undefined;
  _not?: User_Bool_Exp | null | undefined;
  _or?: Array<User_Bool_Exp> | null | undefined;
  created_at?: Timestamptz_Comparison_Exp | null | undefined;
  email?: String_Comparison_Exp | null | undefined;
  email_verified_at?: Timestamptz_Comparison_Exp | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
  known_devices?: Known_Device_Bool_Exp | null | undefined;
  memberships?: Membership_Bool_Exp | null | undefined;
  name?: String_Comparison_Exp | null | undefined;
  password_hash?: String_Comparison_Exp | null | undefined;
};

export type BeginLoginMutationVariables = Exact<{
  user_id: string;
  password_hash: string;
  address: string;
  user_agent?: string | null | undefined;
  devices: unknown;
}>;


export type BeginLoginMutation = { begin_login: Array<{ id: string }> };

export type LoginQueryVariables = Exact<{
  email: string;
  devices: Array<string> | string;
}>;


export type LoginQuery = { user: Array<{ id: string, password_hash: string, email_verified_at: string | null, known_devices: Array<{ device_hash: string }> }> };

export type SignupMutationVariables = Exact<{
  email: string;
  password_hash: string;
  name: string;
  team_name: string;
  address: string;
  user_agent?: string | null | undefined;
  devices: unknown;
}>;


export type SignupMutation = { signup: Array<{ id: string, user_id: string }> };

export type AuthHookUserQueryVariables = Exact<{
  login_id: string;
}>;


export type AuthHookUserQuery = { login_by_pk: { user_id: string, user: { email_verified_at: string | null } } | null };

export type AuthHookQueryVariables = Exact<{
  id: string;
}>;


export type AuthHookQuery = { api_key_by_pk: { id: string, team_id: string, secret_hash: string, is_active: boolean, last_used_at: string | null } | null };

export type RecordKeyUseMutationVariables = Exact<{
  id: string;
  now: string;
  hour_ago: string;
}>;


export type RecordKeyUseMutation = { update_api_key: { affected_rows: number } | null };

export type AcceptInviteMutationVariables = Exact<{
  token_hash: string;
  user_id?: string | null | undefined;
}>;


export type AcceptInviteMutation = { accept_invite: Array<{ team_id: string }> };

export type BeginEmailChangeMutationVariables = Exact<{
  user_id: string;
  known_hash: string;
  email: string;
}>;


export type BeginEmailChangeMutation = { begin_email_change: Array<{ user_id: string }> };

export type ChangePasswordMutationVariables = Exact<{
  user_id: string;
  known_hash: string;
  chosen_hash: string;
  login_id?: string | null | undefined;
}>;


export type ChangePasswordMutation = { change_password: Array<{ id: string }> };

export type DeleteAccountMutationVariables = Exact<{
  user_id: string;
  known_hash: string;
}>;


export type DeleteAccountMutation = { delete_account: Array<{ id: string }> };

export type UserPasswordQueryVariables = Exact<{
  id: string;
}>;


export type UserPasswordQuery = { user_by_pk: { email: string, password_hash: string } | null };

export type ActiveKeyQueryVariables = Exact<{
  id: string;
  team_id: string;
}>;


export type ActiveKeyQuery = { api_key: Array<{ id: string }> };

export type AdoptClientMutationVariables = Exact<{
  user_id?: string | null | undefined;
  api_key_id?: string | null | undefined;
  team_id: string;
  client_id: string;
  token_hash: string;
  secret_hash: string;
}>;


export type AdoptClientMutation = { clients: Array<{ app_id: string, is_public: boolean }> };

export type CheckProofQueryVariables = Exact<{
  readable_teams: Team_Bool_Exp;
  app_id: string;
  actions: Array<string> | string;
  nullifier_hashes: unknown;
}>;


export type CheckProofQuery = { app: Array<{ status: string, is_archived: boolean, id: string, rp_id: string, engine: string, is_staging: boolean, creates_actions: boolean, actions: Array<{ id: string, action: string, status: string, protocol: string, max_verifications: number, allows_repeat: boolean, credentials: Array<string>, uses: unknown }> }> };

export type CreateApiKeyMutationVariables = Exact<{
  user_id: string;
  team_id: string;
  id: string;
  name: string;
  secret_hash: string;
}>;


export type CreateApiKeyMutation = { create_api_key: Array<{ id: string }> };

export type RemoveClientSecretMutationVariables = Exact<{
  user_id?: string | null | undefined;
  api_key_id?: string | null | undefined;
  app_id: string;
}>;


export type RemoveClientSecretMutation = { remove_client_secret: Array<{ app_id: string }> };

export type ResetApiKeyMutationVariables = Exact<{
  user_id: string;
  id: string;
  secret_hash: string;
}>;


export type ResetApiKeyMutation = { reset_api_key: Array<{ id: string }> };

export type ResetClientSecretMutationVariables = Exact<{
  user_id?: string | null | undefined;
  api_key_id?: string | null | undefined;
  app_id: string;
  secret_hash: string;
}>;


export type ResetClientSecretMutation = { reset_client_secret: Array<{ app_id: string }> };

export type ActionStatsQueryVariables = Exact<{
  readable_teams: Team_Bool_Exp;
  user_id?: string | null | undefined;
  api_key_id?: string | null | undefined;
  action_id: string;
  from: string;
  to: string;
}>;


export type ActionStatsQuery = { action: Array<{ id: string }>, action_days: Array<{ day: string, persons: string, verifications: string }> };

export type TeamStatsQueryVariables = Exact<{
  readable_teams: Team_Bool_Exp;
  user_id?: string | null | undefined;
  api_key_id?: string | null | undefined;
  team_id: string;
  action_id?: string | null | undefined;
  from: string;
  to: string;
  hours: number;
  limit: number;
}>;


export type TeamStatsQuery = { team: Array<{ id: string }>, people_counts: Array<{ since: string, action_id: string | null, persons: string, verifications: string, latest: string }> };

export type CountedActionsQueryVariables = Exact<{
  team_id: string;
  ids: Array<string> | string;
}>;


export type CountedActionsQuery = { action: Array<{ id: string, action: string, name: string, app_id: string, app: { name: string } }> };

export type StoreRequestKeyMutationVariables = Exact<{
  user_id?: string | null | undefined;
  api_key_id?: string | null | undefined;
  app_id: string;
  address: string;
  replaces: boolean;
}>;


export type StoreRequestKeyMutation = { store_request_key: Array<{ id: string, address: string }> };

export type CreateTeamMutationVariables = Exact<{
  user_id: string;
  name: string;
}>;


export type CreateTeamMutation = { create_team: Array<{ id: string }> };

export type DeleteTeamMutationVariables = Exact<{
  user_id: string;
  team_id: string;
}>;


export type DeleteTeamMutation = { delete_team: Array<{ id: string }> };

export type InviteTeamMembersMutationVariables = Exact<{
  user_id?: string | null | undefined;
  api_key_id?: string | null | undefined;
  team_id: string;
  emails: unknown;
}>;


export type InviteTeamMembersMutation = { invite_team_members: Array<{ email: string, mailed_at: string | null, updated_at: string }> };

export type MembersWithAddressesQueryVariables = Exact<{
  team_id: string;
  emails: Array<string> | string;
}>;


export type MembersWithAddressesQuery = { membership: Array<{ user: { email: string } }> };

export type IsOwnerQueryVariables = Exact<{
  user_id: string;
  team_id: string;
}>;


export type IsOwnerQuery = { membership: Array<{ id: string }> };

export type ExpireMutationVariables = Exact<{
  now: string;
  a_day_ago: string;
  a_month_ago: string;
  three_months_ago: string;
}>;


export type ExpireMutation = { jwks: { affected_rows: number } | null, account_links: { affected_rows: number } | null, mails: { affected_rows: number } | null, invites: { affected_rows: number } | null, logins: { affected_rows: number } | null, known_devices: { affected_rows: number } | null, email_changes: { affected_rows: number } | null, unverified_accounts: Array<{ id: string }> };

export type RemoveOldRequestsMutationVariables = Exact<{
  most: number;
}>;


export type RemoveOldRequestsMutation = { counted: Array<{ key_hash: string }>, answered: Array<{ key_hash: string }>, refused: Array<{ id: string }> };

export type StoreExternalNullifierMutationVariables = Exact<{
  id: string;
  external_nullifier: string;
}>;


export type StoreExternalNullifierMutation = { update_action_by_pk: { id: string } | null };

export type InviteQueryVariables = Exact<{
  token_hash: string;
}>;


export type InviteQuery = { invite_token_by_pk: { invite: { expires_at: string, email: string, team: { id: string, name: string }, inviter: { name: string } | null, invitee: { password_hash: string, email_verified_at: string | null } | null } } | null };

export type OpenAccountAndJoinMutationVariables = Exact<{
  token_hash: string;
  known_hash?: string | null | undefined;
  chosen_hash?: string | null | undefined;
  devices: unknown;
}>;


export type OpenAccountAndJoinMutation = { accounts: Array<{ id: string }>, accept_invite: Array<{ team_id: string }> };

export type SignUpAndJoinMutationVariables = Exact<{
  token_hash: string;
  name: string;
  password_hash: string;
  devices: unknown;
}>;


export type SignUpAndJoinMutation = { memberships: Array<{ team_id: string }> };

export type JwksQueryVariables = Exact<{
  now: string;
}>;


export type JwksQuery = { jwks: Array<{ id: string, public_jwk: unknown, expires_at: string }> };

export type NewestKeyQueryVariables = Exact<{
  use: string;
}>;


export type NewestKeyQuery = { jwks: Array<{ expires_at: string }> };

export type StoreKeyMutationVariables = Exact<{
  key: Jwks_Insert_Input;
}>;


export type StoreKeyMutation = { insert_jwks_one: { __typename: 'jwks', id: string, expires_at: string } | null };

export type StoreNextKeyMutationVariables = Exact<{
  key: Store_Next_Key_Args;
}>;


export type StoreNextKeyMutation = { store_next_key: Array<{ __typename: 'jwks', id: string, expires_at: string }> };

export type ConfirmEmailChangeMutationVariables = Exact<{
  token_hash: string;
  known_hash?: string | null | undefined;
}>;


export type ConfirmEmailChangeMutation = { confirm_email_change: Array<{ is_confirmed_by_old: boolean, is_confirmed_by_new: boolean }> };

export type ForgotPasswordMutationVariables = Exact<{
  email: string;
}>;


export type ForgotPasswordMutation = { forgot_password: Array<{ id: string }> };

export type LinkOwnerQueryVariables = Exact<{
  token_hash: string;
}>;


export type LinkOwnerQuery = { account_link_by_pk: { kind: string, expires_at: string, user: { email: string, password_hash: string, email_verified_at: string | null }, email_change: { email: string } | null } | null };

export type OpenAccountMutationVariables = Exact<{
  token_hash: string;
  known_hash?: string | null | undefined;
  chosen_hash?: string | null | undefined;
  devices: unknown;
}>;


export type OpenAccountMutation = { accounts: Array<{ id: string }> };

export type ResendVerificationMutationVariables = Exact<{
  email: string;
}>;


export type ResendVerificationMutation = { resend_verification: Array<{ id: string }> };

export type BacklogQueryVariables = Exact<{
  now: string;
}>;


export type BacklogQuery = { mail: Array<{ created_at: string }>, transaction: Array<{ created_at: string }>, price: Array<{ observed_at: string }>, verification_key: Array<{ id: string, private_jwk_encrypted: string, expires_at: string }>, sign_in_key: Array<{ id: string, private_jwk_encrypted: string, expires_at: string }> };

export type RecordRefusedRequestsMutationVariables = Exact<{
  refused: unknown;
}>;


export type RecordRefusedRequestsMutation = { record_refused_requests: Array<{ id: string }> };

export type LeaseMailMutationVariables = Exact<{
  batch: number;
}>;


export type LeaseMailMutation = { mail: Array<{ id: string, kind: string, former_email: string | null, actor_email: string | null, team_id: string | null, attempts: number, user: { id: string, email: string } | null, email_change: { id: string, email: string } | null, invite: { id: string, email: string } | null }> };

export type MarkMailSentMutationVariables = Exact<{
  id: string;
  sent_at: string;
}>;


export type MarkMailSentMutation = { update_mail_by_pk: { id: string } | null };

export type StoreAccountLinkMutationVariables = Exact<{
  user_id: string;
  email: string;
  kind: string;
  token_hash: string;
  email_change_id?: string | null | undefined;
  expires_at: string;
}>;


export type StoreAccountLinkMutation = { insert_account_link: { affected_rows: number } | null };

export type StoreInviteTokenMutationVariables = Exact<{
  invite_id: string;
  token_hash: string;
}>;


export type StoreInviteTokenMutation = { insert_invite_token: { affected_rows: number } | null };

export type AnnounceChainsMutationVariables = Exact<{
  instance: string;
  chains: unknown;
}>;


export type AnnounceChainsMutation = { announce_chains: Array<{ name: string }> };

export type LeaseTransactionMutationVariables = Exact<{
  id: string;
  max_age_seconds: number;
}>;


export type LeaseTransactionMutation = { transactions: Array<{ id: string, leases: number, leased_at: string | null, type: string, transaction_hash: string, token: string, token_amount: string, to: string, expected_from: string | null, not_before: string | null, transaction_status: string, failure_reason: string | null, from: string, sender: string, block_timestamp: string | null, nonce: string | null, block_number: string | null, block_hash: string | null, seen_at: string | null, entered_at: string }> };

export type LeaseTransactionsMutationVariables = Exact<{
  chain: string;
  batch: number;
  before?: string | null | undefined;
}>;


export type LeaseTransactionsMutation = { transactions: Array<{ id: string, leases: number, leased_at: string | null, type: string, transaction_hash: string, token: string, token_amount: string, to: string, expected_from: string | null, not_before: string | null, transaction_status: string, failure_reason: string | null, from: string, sender: string, block_timestamp: string | null, nonce: string | null, block_number: string | null, block_hash: string | null, seen_at: string | null, entered_at: string }> };

export type LeasedTransactionFragment = { id: string, leases: number, leased_at: string | null, type: string, transaction_hash: string, token: string, token_amount: string, to: string, expected_from: string | null, not_before: string | null, transaction_status: string, failure_reason: string | null, from: string, sender: string, block_timestamp: string | null, nonce: string | null, block_number: string | null, block_hash: string | null, seen_at: string | null, entered_at: string };

export type StoreSightingsMutationVariables = Exact<{
  sightings: unknown;
}>;


export type StoreSightingsMutation = { store_sightings: Array<{ id: string, transaction_status: string, from: string, to: string, block_timestamp: string | null }> };

export type TransactionQueryVariables = Exact<{
  keys: Array<string> | string;
  apps: Array<string> | string;
  ids: Array<string> | string;
  references: Array<string> | string;
}>;


export type TransactionQuery = { api_key: Array<{ id: string, team_id: string, secret_hash: string, is_active: boolean, last_used_at: string | null }>, app: Array<{ id: string, team_id: string }>, transaction: Array<{ id: string, app_id: string, type: string, reference: string, chain: string, transaction_hash: string, transaction_id: string | null, token: string, token_amount: string, to: string, transaction_status: string, from: string, timestamp: string, block_timestamp: string | null, is_final: boolean }> };

export type PrecheckActionQueryVariables = Exact<{
  id: string;
}>;


export type PrecheckActionQuery = { action: Array<{ id: string, name: string, description: string, is_staging: boolean | null, app: { name: string, is_verified: boolean, logo_url: string } }> };

export type PrecheckQueryVariables = Exact<{
  app_ids: Array<string> | string;
  candidates: Action_Bool_Exp;
  nullifier_hashes: unknown;
}>;


export type PrecheckQuery = { app: Array<{ id: string, engine: string, is_staging: boolean, is_verified: boolean, name: string, logo_url: string, actions: Array<{ id: string, app_id: string, name: string, action: string, description: string, max_verifications: number, max_accounts_per_user: number, status: string, protocol: string, uses: unknown }> }> };

export type PricesQueryVariables = Exact<{
  cryptos: Array<string> | string;
  fiats: Array<string> | string;
}>;


export type PricesQuery = { price: Array<{ crypto: string, fiat: string, amount: string, decimals: number, observed_at: string }> };

export type StorePricesMutationVariables = Exact<{
  prices: unknown;
}>;


export type StorePricesMutation = { store_prices: Array<{ crypto: string, fiat: string, amount: string, decimals: number, observed_at: string }> };

export type EndLeaseMutationVariables = Exact<{
  caller: string;
  key_hash: string;
  lease: string;
}>;


export type EndLeaseMutation = { delete_answered_request: { affected_rows: number } | null };

export type LeaseRequestMutationVariables = Exact<{
  caller: string;
  key_hash: string;
  fingerprint: string;
  lease: string;
}>;


export type LeaseRequestMutation = { requests: Array<{ fingerprint: string, lease: string, is_answered: boolean, answer_encrypted: string | null }> };

export type LogPositionQueryVariables = Exact<{
  limit: number;
}>;


export type LogPositionQuery = { log_position: Array<{ position: string }> };

export type StoreAnswerMutationVariables = Exact<{
  caller: string;
  key_hash: string;
  lease: string;
  answer?: string | null | undefined;
}>;


export type StoreAnswerMutation = { update_answered_request: { affected_rows: number } | null };

export type AppOfRpQueryVariables = Exact<{
  rp_id: string;
}>;


export type AppOfRpQuery = { app: Array<{ id: string }> };

export type ProofContextQueryVariables = Exact<{
  app_or_rp_id: string;
  actions: Array<string> | string;
}>;


export type ProofContextQuery = { app: Array<{ id: string, rp_id: string, name: string, logo_url: string, is_staging: boolean, is_verified: boolean, actions: Array<{ description: string, status: string }> }> };

export type RpStatusQueryVariables = Exact<{
  rp_id: string;
}>;


export type RpStatusQuery = { app: Array<{ status: string, is_archived: boolean, is_staging: boolean, request_keys: Array<{ address: string }> }> };

export type CountHitsMutationVariables = Exact<{
  counted: unknown;
}>;


export type CountHitsMutation = { count_hits: Array<{ key: string, ends_at: string, hits: number }> };

export type EndLoginMutationVariables = Exact<{
  id: string;
}>;


export type EndLoginMutation = { delete_login: { affected_rows: number } | null };

export type ActionToVerifyFragment = { id: string, app_id: string, action: string, protocol: string, max_verifications: number, return_url: string, engine: string | null, is_staging: boolean | null, uses: unknown };

export type AppToVerifyFragment = { id: string, rp_id: string, engine: string, is_staging: boolean, creates_actions: boolean, actions: Array<{ id: string, action: string, status: string, protocol: string, max_verifications: number, allows_repeat: boolean, credentials: Array<string>, uses: unknown }> };

export type CountedRequestFragment = { app_id: string, key_hash: string, fingerprint: string, nullifier_hash: string, uses: number, max_uses: number, verified_at: string, token_id: string, verification_level: string | null, outcomes: unknown, created_at: string };

export type CountedPersonQueryVariables = Exact<{
  action_id: string;
  nullifier_hash: string;
}>;


export type CountedPersonQuery = { nullifier_by_pk: { created_at: string } | null };

export type FindOrCreateActionMutationVariables = Exact<{
  app_id: string;
  action: string;
}>;


export type FindOrCreateActionMutation = { find_or_create_action: Array<{ id: string, action: string, status: string, protocol: string, max_verifications: number, allows_repeat: boolean, credentials: Array<string> }> };

export type SigningKeyQueryVariables = Exact<{
  until: string;
  published: string;
}>;


export type SigningKeyQuery = { published: Array<{ id: string, private_jwk_encrypted: string }>, newest: Array<{ id: string, private_jwk_encrypted: string }> };

export type VerifyAgainQueryVariables = Exact<{
  app_ids: Array<string> | string;
  actions: Array<string> | string;
  nullifier_hashes: unknown;
  key_hashes: Array<string> | string;
  since: string;
}>;


export type VerifyAgainQuery = { app: Array<{ id: string, rp_id: string, engine: string, is_staging: boolean, creates_actions: boolean, counted_requests: Array<{ app_id: string, key_hash: string, fingerprint: string, nullifier_hash: string, uses: number, max_uses: number, verified_at: string, token_id: string, verification_level: string | null, outcomes: unknown, created_at: string }>, actions: Array<{ id: string, action: string, status: string, protocol: string, max_verifications: number, allows_repeat: boolean, credentials: Array<string>, uses: unknown }> }> };

export type VerifyV1AgainQueryVariables = Exact<{
  action_id: string;
  nullifier_hashes: unknown;
  key_hash: string;
  since: string;
}>;


export type VerifyV1AgainQuery = { action: Array<{ status: string, id: string, app_id: string, action: string, protocol: string, max_verifications: number, return_url: string, engine: string | null, is_staging: boolean | null, uses: unknown, app: { counted_requests: Array<{ app_id: string, key_hash: string, fingerprint: string, nullifier_hash: string, uses: number, max_uses: number, verified_at: string, token_id: string, verification_level: string | null, outcomes: unknown, created_at: string }> } }> };

export type VerifyV1QueryVariables = Exact<{
  action_id: string;
  nullifier_hashes: unknown;
}>;


export type VerifyV1Query = { action: Array<{ id: string, app_id: string, action: string, protocol: string, max_verifications: number, return_url: string, engine: string | null, is_staging: boolean | null, uses: unknown }> };

export type VerifyQueryVariables = Exact<{
  app_ids: Array<string> | string;
  actions: Array<string> | string;
  nullifier_hashes: unknown;
}>;


export type VerifyQuery = { app: Array<{ id: string, rp_id: string, engine: string, is_staging: boolean, creates_actions: boolean, actions: Array<{ id: string, action: string, status: string, protocol: string, max_verifications: number, allows_repeat: boolean, credentials: Array<string>, uses: unknown }> }> };

export const LeasedTransactionFragmentDoc = gql`
    fragment LeasedTransaction on transaction {
  id
  leases
  leased_at
  type
  transaction_hash
  token
  token_amount
  to
  expected_from
  not_before
  transaction_status
  failure_reason
  from
  sender
  block_timestamp
  nonce
  block_number
  block_hash
  seen_at
  entered_at
}
    `;
export const ActionToVerifyFragmentDoc = gql`
    fragment ActionToVerify on action {
  id
  app_id
  action
  protocol
  max_verifications
  return_url
  engine
  is_staging
  uses(args: {nullifier_hashes: $nullifier_hashes})
}
    `;
export const AppToVerifyFragmentDoc = gql`
    fragment AppToVerify on app {
  id
  rp_id
  engine
  is_staging
  creates_actions
  actions(where: {action: {_in: $actions}}) {
    id
    action
    status
    protocol
    max_verifications
    allows_repeat
    credentials
    uses(args: {nullifier_hashes: $nullifier_hashes})
  }
}
    `;
export const CountedRequestFragmentDoc = gql`
    fragment CountedRequest on counted_request {
  app_id
  key_hash
  fingerprint
  nullifier_hash
  uses
  max_uses
  verified_at
  token_id
  verification_level
  outcomes
  created_at
}
    `;
export const BeginLoginDocument = gql`
    mutation BeginLogin($user_id: String!, $password_hash: String!, $address: String!, $user_agent: String, $devices: jsonb!) {
  begin_login(
    args: {user_id: $user_id, password_hash: $password_hash, address: $address, user_agent: $user_agent, devices: $devices}
  ) {
    id
  }
}
    `;
export const LoginDocument = gql`
    query Login($email: String!, $devices: [String!]!) {
  user(where: {email: {_eq: $email}}) {
    id
    password_hash
    email_verified_at
    known_devices(where: {device_hash: {_in: $devices}}) {
      device_hash
    }
  }
}
    `;
export const SignupDocument = gql`
    mutation Signup($email: String!, $password_hash: String!, $name: String!, $team_name: String!, $address: String!, $user_agent: String, $devices: jsonb!) {
  signup(
    args: {email: $email, password_hash: $password_hash, name: $name, team_name: $team_name, address: $address, user_agent: $user_agent, devices: $devices}
  ) {
    id
    user_id
  }
}
    `;
export const AuthHookUserDocument = gql`
    query AuthHookUser($login_id: String!) {
  login_by_pk(id: $login_id) {
    user_id
    user {
      email_verified_at
    }
  }
}
    `;
export const AuthHookDocument = gql`
    query AuthHook($id: String!) {
  api_key_by_pk(id: $id) {
    id
    team_id
    secret_hash
    is_active
    last_used_at
  }
}
    `;
export const RecordKeyUseDocument = gql`
    mutation RecordKeyUse($id: String!, $now: timestamptz!, $hour_ago: timestamptz!) {
  update_api_key(
    where: {id: {_eq: $id}, _or: [{last_used_at: {_is_null: true}}, {last_used_at: {_lt: $hour_ago}}]}
    _set: {last_used_at: $now}
  ) {
    affected_rows
  }
}
    `;
export const AcceptInviteDocument = gql`
    mutation AcceptInvite($token_hash: String!, $user_id: String) {
  accept_invite: accept_invite_as_service(
    args: {token_hash: $token_hash, user_id: $user_id}
  ) {
    team_id
  }
}
    `;
export const BeginEmailChangeDocument = gql`
    mutation BeginEmailChange($user_id: String!, $known_hash: String!, $email: String!) {
  begin_email_change(
    args: {user_id: $user_id, known_hash: $known_hash, email: $email}
  ) {
    user_id
  }
}
    `;
export const ChangePasswordDocument = gql`
    mutation ChangePassword($user_id: String!, $known_hash: String!, $chosen_hash: String!, $login_id: String) {
  change_password: change_password_as_service(
    args: {user_id: $user_id, known_hash: $known_hash, chosen_hash: $chosen_hash, login_id: $login_id}
  ) {
    id
  }
}
    `;
export const DeleteAccountDocument = gql`
    mutation DeleteAccount($user_id: String!, $known_hash: String!) {
  delete_account: delete_account_as_service(
    args: {user_id: $user_id, known_hash: $known_hash}
  ) {
    id
  }
}
    `;
export const UserPasswordDocument = gql`
    query UserPassword($id: String!) {
  user_by_pk(id: $id) {
    email
    password_hash
  }
}
    `;
export const ActiveKeyDocument = gql`
    query ActiveKey($id: String!, $team_id: String!) {
  api_key(
    where: {id: {_eq: $id}, team_id: {_eq: $team_id}, is_active: {_eq: true}}
  ) {
    id
  }
}
    `;
export const AdoptClientDocument = gql`
    mutation AdoptClient($user_id: String, $api_key_id: String, $team_id: String!, $client_id: String!, $token_hash: String!, $secret_hash: String!) {
  clients: claim_client_as_service(
    args: {user_id: $user_id, api_key_id: $api_key_id, team_id: $team_id, client_id: $client_id, token_hash: $token_hash, secret_hash: $secret_hash}
  ) {
    app_id
    is_public
  }
}
    `;
export const CheckProofDocument = gql`
    query CheckProof($readable_teams: team_bool_exp!, $app_id: String!, $actions: [String!]!, $nullifier_hashes: jsonb!) {
  app(where: {id: {_eq: $app_id}, team: $readable_teams}) {
    ...AppToVerify
    status
    is_archived
  }
}
    ${AppToVerifyFragmentDoc}`;
export const CreateApiKeyDocument = gql`
    mutation CreateApiKey($user_id: String!, $team_id: String!, $id: String!, $name: String!, $secret_hash: String!) {
  create_api_key: create_api_key_as_service(
    args: {user_id: $user_id, team_id: $team_id, id: $id, name: $name, secret_hash: $secret_hash}
  ) {
    id
  }
}
    `;
export const RemoveClientSecretDocument = gql`
    mutation RemoveClientSecret($user_id: String, $api_key_id: String, $app_id: String!) {
  remove_client_secret: remove_client_secret_as_service(
    args: {user_id: $user_id, api_key_id: $api_key_id, app_id: $app_id}
  ) {
    app_id
  }
}
    `;
export const ResetApiKeyDocument = gql`
    mutation ResetApiKey($user_id: String!, $id: String!, $secret_hash: String!) {
  reset_api_key: reset_api_key_as_service(
    args: {user_id: $user_id, id: $id, secret_hash: $secret_hash}
  ) {
    id
  }
}
    `;
export const ResetClientSecretDocument = gql`
    mutation ResetClientSecret($user_id: String, $api_key_id: String, $app_id: String!, $secret_hash: String!) {
  reset_client_secret: reset_client_secret_as_service(
    args: {user_id: $user_id, api_key_id: $api_key_id, app_id: $app_id, secret_hash: $secret_hash}
  ) {
    app_id
  }
}
    `;
export const ActionStatsDocument = gql`
    query ActionStats($readable_teams: team_bool_exp!, $user_id: String, $api_key_id: String, $action_id: String!, $from: timestamptz!, $to: timestamptz!) {
  action(where: {id: {_eq: $action_id}, app: {team: $readable_teams}}) {
    id
  }
  action_days(
    args: {user_id: $user_id, api_key_id: $api_key_id, action_id: $action_id, from: $from, to: $to}
    order_by: {day: asc}
  ) {
    day
    persons
    verifications
  }
}
    `;
export const TeamStatsDocument = gql`
    query TeamStats($readable_teams: team_bool_exp!, $user_id: String, $api_key_id: String, $team_id: String!, $action_id: String, $from: timestamptz!, $to: timestamptz!, $hours: Int!, $limit: Int!) {
  team(where: {id: {_eq: $team_id}, _and: [$readable_teams]}) {
    id
  }
  people_counts(
    args: {user_id: $user_id, api_key_id: $api_key_id, team_id: $team_id, action_id: $action_id, from: $from, to: $to, hours: $hours, limit: $limit}
    order_by: [{since: asc}, {action_id: asc_nulls_last}]
  ) {
    since
    action_id
    persons
    verifications
    latest
  }
}
    `;
export const CountedActionsDocument = gql`
    query CountedActions($team_id: String!, $ids: [String!]!) {
  action(where: {id: {_in: $ids}, app: {team_id: {_eq: $team_id}}}) {
    id
    action
    name
    app_id
    app {
      name
    }
  }
}
    `;
export const StoreRequestKeyDocument = gql`
    mutation StoreRequestKey($user_id: String, $api_key_id: String, $app_id: String!, $address: String!, $replaces: Boolean!) {
  store_request_key: store_request_key_as_service(
    args: {user_id: $user_id, api_key_id: $api_key_id, app_id: $app_id, address: $address, replaces: $replaces}
  ) {
    id
    address
  }
}
    `;
export const CreateTeamDocument = gql`
    mutation CreateTeam($user_id: String!, $name: String!) {
  create_team: create_team_as_service(args: {user_id: $user_id, name: $name}) {
    id
  }
}
    `;
export const DeleteTeamDocument = gql`
    mutation DeleteTeam($user_id: String!, $team_id: String!) {
  delete_team: delete_team_as_service(
    args: {user_id: $user_id, team_id: $team_id}
  ) {
    id
  }
}
    `;
export const InviteTeamMembersDocument = gql`
    mutation InviteTeamMembers($user_id: String, $api_key_id: String, $team_id: String!, $emails: jsonb!) {
  invite_team_members: invite_team_members_as_service(
    args: {user_id: $user_id, api_key_id: $api_key_id, team_id: $team_id, emails: $emails}
  ) {
    email
    mailed_at
    updated_at
  }
}
    `;
export const MembersWithAddressesDocument = gql`
    query MembersWithAddresses($team_id: String!, $emails: [String!]!) {
  membership(where: {team_id: {_eq: $team_id}, user: {email: {_in: $emails}}}) {
    user {
      email
    }
  }
}
    `;
export const IsOwnerDocument = gql`
    query IsOwner($user_id: String!, $team_id: String!) {
  membership(
    where: {user_id: {_eq: $user_id}, team_id: {_eq: $team_id}, role: {_eq: "OWNER"}}
  ) {
    id
  }
}
    `;
export const ExpireDocument = gql`
    mutation Expire($now: timestamptz!, $a_day_ago: timestamptz!, $a_month_ago: timestamptz!, $three_months_ago: timestamptz!) {
  jwks: delete_jwks(where: {expires_at: {_lte: $now}}) {
    affected_rows
  }
  account_links: delete_account_link(where: {expires_at: {_lte: $now}}) {
    affected_rows
  }
  mails: delete_mail(where: {created_at: {_lte: $a_month_ago}}) {
    affected_rows
  }
  invites: delete_invite(where: {expires_at: {_lte: $now}}) {
    affected_rows
  }
  logins: delete_login(where: {expires_at: {_lte: $now}}) {
    affected_rows
  }
  known_devices: delete_known_device(
    where: {last_login_at: {_lte: $three_months_ago}}
  ) {
    affected_rows
  }
  email_changes: delete_email_change(where: {created_at: {_lte: $a_day_ago}}) {
    affected_rows
  }
  unverified_accounts: remove_unverified_accounts {
    id
  }
}
    `;
export const RemoveOldRequestsDocument = gql`
    mutation RemoveOldRequests($most: Int!) {
  counted: remove_old_counted_requests(args: {most: $most}) {
    key_hash
  }
  answered: remove_old_answered_requests(args: {most: $most}) {
    key_hash
  }
  refused: remove_old_refused_requests(args: {most: $most}) {
    id
  }
}
    `;
export const StoreExternalNullifierDocument = gql`
    mutation StoreExternalNullifier($id: String!, $external_nullifier: String!) {
  update_action_by_pk(
    pk_columns: {id: $id}
    _set: {external_nullifier: $external_nullifier}
  ) {
    id
  }
}
    `;
export const InviteDocument = gql`
    query Invite($token_hash: String!) {
  invite_token_by_pk(token_hash: $token_hash) {
    invite {
      expires_at
      email
      team {
        id
        name
      }
      inviter {
        name
      }
      invitee {
        password_hash
        email_verified_at
      }
    }
  }
}
    `;
export const OpenAccountAndJoinDocument = gql`
    mutation OpenAccountAndJoin($token_hash: String!, $known_hash: String, $chosen_hash: String, $devices: jsonb!) {
  accounts: open_account(
    args: {token_hash: $token_hash, known_hash: $known_hash, chosen_hash: $chosen_hash, devices: $devices}
  ) {
    id
  }
  accept_invite: accept_invite_as_service(args: {token_hash: $token_hash}) {
    team_id
  }
}
    `;
export const SignUpAndJoinDocument = gql`
    mutation SignUpAndJoin($token_hash: String!, $name: String!, $password_hash: String!, $devices: jsonb!) {
  memberships: sign_up_and_join(
    args: {token_hash: $token_hash, name: $name, password_hash: $password_hash, devices: $devices}
  ) {
    team_id
  }
}
    `;
export const JwksDocument = gql`
    query Jwks($now: timestamptz!) {
  jwks(
    where: {use: {_eq: "verification"}, expires_at: {_gt: $now}}
    order_by: [{created_at: desc}, {id: desc}]
  ) {
    id
    public_jwk
    expires_at
  }
}
    `;
export const NewestKeyDocument = gql`
    query NewestKey($use: String!) {
  jwks(
    where: {use: {_eq: $use}}
    order_by: [{created_at: desc}, {id: desc}]
    limit: 1
  ) {
    expires_at
  }
}
    `;
export const StoreKeyDocument = gql`
    mutation StoreKey($key: jwks_insert_input!) {
  insert_jwks_one(object: $key) {
    __typename
    id
    expires_at
  }
}
    `;
export const StoreNextKeyDocument = gql`
    mutation StoreNextKey($key: store_next_key_args!) {
  store_next_key(args: $key) {
    __typename
    id
    expires_at
  }
}
    `;
export const ConfirmEmailChangeDocument = gql`
    mutation ConfirmEmailChange($token_hash: String!, $known_hash: String) {
  confirm_email_change(args: {token_hash: $token_hash, known_hash: $known_hash}) {
    is_confirmed_by_old
    is_confirmed_by_new
  }
}
    `;
export const ForgotPasswordDocument = gql`
    mutation ForgotPassword($email: String!) {
  forgot_password(args: {email: $email}) {
    id
  }
}
    `;
export const LinkOwnerDocument = gql`
    query LinkOwner($token_hash: String!) {
  account_link_by_pk(token_hash: $token_hash) {
    kind
    expires_at
    user {
      email
      password_hash
      email_verified_at
    }
    email_change {
      email
    }
  }
}
    `;
export const OpenAccountDocument = gql`
    mutation OpenAccount($token_hash: String!, $known_hash: String, $chosen_hash: String, $devices: jsonb!) {
  accounts: open_account(
    args: {token_hash: $token_hash, known_hash: $known_hash, chosen_hash: $chosen_hash, devices: $devices}
  ) {
    id
  }
}
    `;
export const ResendVerificationDocument = gql`
    mutation ResendVerification($email: String!) {
  resend_verification(args: {email: $email}) {
    id
  }
}
    `;
export const BacklogDocument = gql`
    query Backlog($now: timestamptz!) {
  mail(
    where: {sent_at: {_is_null: true}, created_at: {_lte: $now}}
    order_by: {created_at: asc}
    limit: 1
  ) {
    created_at
  }
  transaction(
    where: {transaction_status: {_eq: "pending"}, created_at: {_lte: $now}}
    order_by: {created_at: asc}
    limit: 1000
  ) {
    created_at
  }
  price(order_by: {observed_at: desc}, limit: 1) {
    observed_at
  }
  verification_key: jwks(
    where: {use: {_eq: "verification"}}
    order_by: [{created_at: desc}, {id: desc}]
    limit: 1
  ) {
    id
    private_jwk_encrypted
    expires_at
  }
  sign_in_key: jwks(
    where: {use: {_eq: "sign-in"}}
    order_by: [{created_at: desc}, {id: desc}]
    limit: 1
  ) {
    id
    private_jwk_encrypted
    expires_at
  }
}
    `;
export const RecordRefusedRequestsDocument = gql`
    mutation RecordRefusedRequests($refused: jsonb!) {
  record_refused_requests(args: {refused: $refused}) {
    id
  }
}
    `;
export const LeaseMailDocument = gql`
    mutation LeaseMail($batch: Int!) {
  mail: lease_mail(args: {batch: $batch}) {
    id
    kind
    former_email
    actor_email
    team_id
    attempts
    user {
      id
      email
    }
    email_change {
      id
      email
    }
    invite {
      id
      email
    }
  }
}
    `;
export const MarkMailSentDocument = gql`
    mutation MarkMailSent($id: String!, $sent_at: timestamptz!) {
  update_mail_by_pk(pk_columns: {id: $id}, _set: {sent_at: $sent_at}) {
    id
  }
}
    `;
export const StoreAccountLinkDocument = gql`
    mutation StoreAccountLink($user_id: String!, $email: String!, $kind: String!, $token_hash: String!, $email_change_id: String, $expires_at: timestamptz!) {
  insert_account_link(
    objects: {user_id: $user_id, email: $email, kind: $kind, token_hash: $token_hash, email_change_id: $email_change_id, expires_at: $expires_at}
  ) {
    affected_rows
  }
}
    `;
export const StoreInviteTokenDocument = gql`
    mutation StoreInviteToken($invite_id: String!, $token_hash: String!) {
  insert_invite_token(objects: {invite_id: $invite_id, token_hash: $token_hash}) {
    affected_rows
  }
}
    `;
export const AnnounceChainsDocument = gql`
    mutation AnnounceChains($instance: String!, $chains: jsonb!) {
  announce_chains(args: {instance: $instance, chains: $chains}) {
    name
  }
}
    `;
export const LeaseTransactionDocument = gql`
    mutation LeaseTransaction($id: String!, $max_age_seconds: Int!) {
  transactions: lease_transaction(
    args: {id: $id, max_age_seconds: $max_age_seconds}
  ) {
    ...LeasedTransaction
  }
}
    ${LeasedTransactionFragmentDoc}`;
export const LeaseTransactionsDocument = gql`
    mutation LeaseTransactions($chain: String!, $batch: Int!, $before: timestamptz) {
  transactions: lease_transactions(
    args: {chain: $chain, batch: $batch, before: $before}
  ) {
    ...LeasedTransaction
  }
}
    ${LeasedTransactionFragmentDoc}`;
export const StoreSightingsDocument = gql`
    mutation StoreSightings($sightings: jsonb!) {
  store_sightings(args: {sightings: $sightings}) {
    id
    transaction_status
    from
    to
    block_timestamp
  }
}
    `;
export const TransactionDocument = gql`
    query Transaction($keys: [String!]!, $apps: [String!]!, $ids: [String!]!, $references: [String!]!) {
  api_key(where: {id: {_in: $keys}}) {
    id
    team_id
    secret_hash
    is_active
    last_used_at
  }
  app(where: {id: {_in: $apps}}) {
    id
    team_id
  }
  transaction(
    where: {app_id: {_in: $apps}, _or: [{id: {_in: $ids}}, {transaction_hash: {_in: $ids}}, {transaction_id: {_in: $ids}}, {reference: {_in: $references}}]}
    order_by: {created_at: desc}
  ) {
    id
    app_id
    type
    reference
    chain
    transaction_hash
    transaction_id
    token
    token_amount
    to
    transaction_status
    from
    timestamp
    block_timestamp
    is_final
  }
}
    `;
export const PrecheckActionDocument = gql`
    query PrecheckAction($id: String!) {
  action(
    where: {id: {_eq: $id}, status: {_eq: "active"}, app: {status: {_eq: "active"}, is_archived: {_eq: false}}}
  ) {
    id
    name
    description
    is_staging
    app {
      name
      is_verified
      logo_url
    }
  }
}
    `;
export const PrecheckDocument = gql`
    query Precheck($app_ids: [String!]!, $candidates: action_bool_exp!, $nullifier_hashes: jsonb!) {
  app(
    where: {id: {_in: $app_ids}, status: {_eq: "active"}, is_archived: {_eq: false}}
  ) {
    id
    engine
    is_staging
    is_verified
    name
    logo_url
    actions(where: $candidates) {
      id
      app_id
      name
      action
      description
      max_verifications
      max_accounts_per_user
      status
      protocol
      uses(args: {nullifier_hashes: $nullifier_hashes})
    }
  }
}
    `;
export const PricesDocument = gql`
    query Prices($cryptos: [String!]!, $fiats: [String!]!) {
  price(where: {crypto: {_in: $cryptos}, fiat: {_in: $fiats}}) {
    crypto
    fiat
    amount
    decimals
    observed_at
  }
}
    `;
export const StorePricesDocument = gql`
    mutation StorePrices($prices: jsonb!) {
  store_prices(args: {prices: $prices}) {
    crypto
    fiat
    amount
    decimals
    observed_at
  }
}
    `;
export const EndLeaseDocument = gql`
    mutation EndLease($caller: String!, $key_hash: String!, $lease: String!) {
  delete_answered_request(
    where: {caller: {_eq: $caller}, key_hash: {_eq: $key_hash}, lease: {_eq: $lease}}
  ) {
    affected_rows
  }
}
    `;
export const LeaseRequestDocument = gql`
    mutation LeaseRequest($caller: String!, $key_hash: String!, $fingerprint: String!, $lease: String!) {
  requests: lease_request(
    args: {caller: $caller, key_hash: $key_hash, fingerprint: $fingerprint, lease: $lease}
  ) {
    fingerprint
    lease
    is_answered
    answer_encrypted
  }
}
    `;
export const LogPositionDocument = gql`
    query LogPosition($limit: Int!) {
  log_position(limit: $limit) {
    position
  }
}
    `;
export const StoreAnswerDocument = gql`
    mutation StoreAnswer($caller: String!, $key_hash: String!, $lease: String!, $answer: String) {
  update_answered_request(
    where: {caller: {_eq: $caller}, key_hash: {_eq: $key_hash}, lease: {_eq: $lease}}
    _set: {is_answered: true, answer_encrypted: $answer}
  ) {
    affected_rows
  }
}
    `;
export const AppOfRpDocument = gql`
    query AppOfRp($rp_id: String!) {
  app(where: {rp_id: {_eq: $rp_id}}) {
    id
  }
}
    `;
export const ProofContextDocument = gql`
    query ProofContext($app_or_rp_id: String!, $actions: [String!]!) {
  app(
    where: {_or: [{id: {_eq: $app_or_rp_id}}, {rp_id: {_eq: $app_or_rp_id}}], status: {_eq: "active"}, is_archived: {_eq: false}}
  ) {
    id
    rp_id
    name
    logo_url
    is_staging
    is_verified
    actions(where: {action: {_in: $actions}}) {
      description
      status
    }
  }
}
    `;
export const RpStatusDocument = gql`
    query RpStatus($rp_id: String!) {
  app(where: {rp_id: {_eq: $rp_id}}) {
    status
    is_archived
    is_staging
    request_keys(where: {is_active: {_eq: true}}) {
      address
    }
  }
}
    `;
export const CountHitsDocument = gql`
    mutation CountHits($counted: jsonb!) {
  count_hits(args: {counted: $counted}) {
    key
    ends_at
    hits
  }
}
    `;
export const EndLoginDocument = gql`
    mutation EndLogin($id: String!) {
  delete_login(where: {id: {_eq: $id}}) {
    affected_rows
  }
}
    `;
export const CountedPersonDocument = gql`
    query CountedPerson($action_id: String!, $nullifier_hash: String!) {
  nullifier_by_pk(action_id: $action_id, nullifier_hash: $nullifier_hash) {
    created_at
  }
}
    `;
export const FindOrCreateActionDocument = gql`
    mutation FindOrCreateAction($app_id: String!, $action: String!) {
  find_or_create_action(args: {app_id: $app_id, action: $action}) {
    id
    action
    status
    protocol
    max_verifications
    allows_repeat
    credentials
  }
}
    `;
export const SigningKeyDocument = gql`
    query SigningKey($until: timestamptz!, $published: timestamptz!) {
  published: jwks(
    where: {use: {_eq: "verification"}, expires_at: {_gt: $until}, created_at: {_lte: $published}}
    order_by: [{created_at: desc}, {id: desc}]
    limit: 1
  ) {
    id
    private_jwk_encrypted
  }
  newest: jwks(
    where: {use: {_eq: "verification"}, expires_at: {_gt: $until}}
    order_by: [{created_at: desc}, {id: desc}]
    limit: 1
  ) {
    id
    private_jwk_encrypted
  }
}
    `;
export const VerifyAgainDocument = gql`
    query VerifyAgain($app_ids: [String!]!, $actions: [String!]!, $nullifier_hashes: jsonb!, $key_hashes: [String!]!, $since: timestamptz!) {
  app(
    where: {id: {_in: $app_ids}, status: {_eq: "active"}, is_archived: {_eq: false}}
  ) {
    ...AppToVerify
    counted_requests(
      where: {key_hash: {_in: $key_hashes}, created_at: {_gt: $since}}
    ) {
      ...CountedRequest
    }
  }
}
    ${AppToVerifyFragmentDoc}
${CountedRequestFragmentDoc}`;
export const VerifyV1AgainDocument = gql`
    query VerifyV1Again($action_id: String!, $nullifier_hashes: jsonb!, $key_hash: String!, $since: timestamptz!) {
  action(
    where: {id: {_eq: $action_id}, app: {status: {_eq: "active"}, is_archived: {_eq: false}}}
  ) {
    ...ActionToVerify
    status
    app {
      counted_requests(where: {key_hash: {_eq: $key_hash}, created_at: {_gt: $since}}) {
        ...CountedRequest
      }
    }
  }
}
    ${ActionToVerifyFragmentDoc}
${CountedRequestFragmentDoc}`;
export const VerifyV1Document = gql`
    query VerifyV1($action_id: String!, $nullifier_hashes: jsonb!) {
  action(
    where: {id: {_eq: $action_id}, status: {_eq: "active"}, app: {status: {_eq: "active"}, is_archived: {_eq: false}}}
  ) {
    ...ActionToVerify
  }
}
    ${ActionToVerifyFragmentDoc}`;
export const VerifyDocument = gql`
    query Verify($app_ids: [String!]!, $actions: [String!]!, $nullifier_hashes: jsonb!) {
  app(
    where: {id: {_in: $app_ids}, status: {_eq: "active"}, is_archived: {_eq: false}}
  ) {
    ...AppToVerify
  }
}
    ${AppToVerifyFragmentDoc}`;

export type SdkFunctionWrapper = <T>(action: (requestHeaders?:Record<string, string>) => Promise<T>, operationName: string, operationType?: string, variables?: any) => Promise<T>;


const defaultWrapper: SdkFunctionWrapper = (action, _operationName, _operationType, _variables) => action();

export function getSdk(client: GraphQLClient, withWrapper: SdkFunctionWrapper = defaultWrapper) {
  return {
    BeginLogin(variables: BeginLoginMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<BeginLoginMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<BeginLoginMutation>({ document: BeginLoginDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'BeginLogin', 'mutation', variables);
    },
    Login(variables: LoginQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<LoginQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<LoginQuery>({ document: LoginDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'Login', 'query', variables);
    },
    Signup(variables: SignupMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<SignupMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<SignupMutation>({ document: SignupDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'Signup', 'mutation', variables);
    },
    AuthHookUser(variables: AuthHookUserQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<AuthHookUserQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<AuthHookUserQuery>({ document: AuthHookUserDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'AuthHookUser', 'query', variables);
    },
    AuthHook(variables: AuthHookQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<AuthHookQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<AuthHookQuery>({ document: AuthHookDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'AuthHook', 'query', variables);
    },
    RecordKeyUse(variables: RecordKeyUseMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<RecordKeyUseMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<RecordKeyUseMutation>({ document: RecordKeyUseDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'RecordKeyUse', 'mutation', variables);
    },
    AcceptInvite(variables: AcceptInviteMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<AcceptInviteMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<AcceptInviteMutation>({ document: AcceptInviteDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'AcceptInvite', 'mutation', variables);
    },
    BeginEmailChange(variables: BeginEmailChangeMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<BeginEmailChangeMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<BeginEmailChangeMutation>({ document: BeginEmailChangeDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'BeginEmailChange', 'mutation', variables);
    },
    ChangePassword(variables: ChangePasswordMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<ChangePasswordMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<ChangePasswordMutation>({ document: ChangePasswordDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'ChangePassword', 'mutation', variables);
    },
    DeleteAccount(variables: DeleteAccountMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<DeleteAccountMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<DeleteAccountMutation>({ document: DeleteAccountDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'DeleteAccount', 'mutation', variables);
    },
    UserPassword(variables: UserPasswordQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<UserPasswordQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<UserPasswordQuery>({ document: UserPasswordDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'UserPassword', 'query', variables);
    },
    ActiveKey(variables: ActiveKeyQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<ActiveKeyQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<ActiveKeyQuery>({ document: ActiveKeyDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'ActiveKey', 'query', variables);
    },
    AdoptClient(variables: AdoptClientMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<AdoptClientMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<AdoptClientMutation>({ document: AdoptClientDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'AdoptClient', 'mutation', variables);
    },
    CheckProof(variables: CheckProofQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<CheckProofQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<CheckProofQuery>({ document: CheckProofDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'CheckProof', 'query', variables);
    },
    CreateApiKey(variables: CreateApiKeyMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<CreateApiKeyMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<CreateApiKeyMutation>({ document: CreateApiKeyDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'CreateApiKey', 'mutation', variables);
    },
    RemoveClientSecret(variables: RemoveClientSecretMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<RemoveClientSecretMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<RemoveClientSecretMutation>({ document: RemoveClientSecretDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'RemoveClientSecret', 'mutation', variables);
    },
    ResetApiKey(variables: ResetApiKeyMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<ResetApiKeyMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<ResetApiKeyMutation>({ document: ResetApiKeyDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'ResetApiKey', 'mutation', variables);
    },
    ResetClientSecret(variables: ResetClientSecretMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<ResetClientSecretMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<ResetClientSecretMutation>({ document: ResetClientSecretDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'ResetClientSecret', 'mutation', variables);
    },
    ActionStats(variables: ActionStatsQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<ActionStatsQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<ActionStatsQuery>({ document: ActionStatsDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'ActionStats', 'query', variables);
    },
    TeamStats(variables: TeamStatsQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<TeamStatsQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<TeamStatsQuery>({ document: TeamStatsDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'TeamStats', 'query', variables);
    },
    CountedActions(variables: CountedActionsQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<CountedActionsQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<CountedActionsQuery>({ document: CountedActionsDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'CountedActions', 'query', variables);
    },
    StoreRequestKey(variables: StoreRequestKeyMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<StoreRequestKeyMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<StoreRequestKeyMutation>({ document: StoreRequestKeyDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'StoreRequestKey', 'mutation', variables);
    },
    CreateTeam(variables: CreateTeamMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<CreateTeamMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<CreateTeamMutation>({ document: CreateTeamDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'CreateTeam', 'mutation', variables);
    },
    DeleteTeam(variables: DeleteTeamMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<DeleteTeamMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<DeleteTeamMutation>({ document: DeleteTeamDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'DeleteTeam', 'mutation', variables);
    },
    InviteTeamMembers(variables: InviteTeamMembersMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<InviteTeamMembersMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<InviteTeamMembersMutation>({ document: InviteTeamMembersDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'InviteTeamMembers', 'mutation', variables);
    },
    MembersWithAddresses(variables: MembersWithAddressesQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<MembersWithAddressesQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<MembersWithAddressesQuery>({ document: MembersWithAddressesDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'MembersWithAddresses', 'query', variables);
    },
    IsOwner(variables: IsOwnerQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<IsOwnerQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<IsOwnerQuery>({ document: IsOwnerDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'IsOwner', 'query', variables);
    },
    Expire(variables: ExpireMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<ExpireMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<ExpireMutation>({ document: ExpireDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'Expire', 'mutation', variables);
    },
    RemoveOldRequests(variables: RemoveOldRequestsMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<RemoveOldRequestsMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<RemoveOldRequestsMutation>({ document: RemoveOldRequestsDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'RemoveOldRequests', 'mutation', variables);
    },
    StoreExternalNullifier(variables: StoreExternalNullifierMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<StoreExternalNullifierMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<StoreExternalNullifierMutation>({ document: StoreExternalNullifierDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'StoreExternalNullifier', 'mutation', variables);
    },
    Invite(variables: InviteQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<InviteQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<InviteQuery>({ document: InviteDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'Invite', 'query', variables);
    },
    OpenAccountAndJoin(variables: OpenAccountAndJoinMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<OpenAccountAndJoinMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<OpenAccountAndJoinMutation>({ document: OpenAccountAndJoinDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'OpenAccountAndJoin', 'mutation', variables);
    },
    SignUpAndJoin(variables: SignUpAndJoinMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<SignUpAndJoinMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<SignUpAndJoinMutation>({ document: SignUpAndJoinDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'SignUpAndJoin', 'mutation', variables);
    },
    Jwks(variables: JwksQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<JwksQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<JwksQuery>({ document: JwksDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'Jwks', 'query', variables);
    },
    NewestKey(variables: NewestKeyQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<NewestKeyQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<NewestKeyQuery>({ document: NewestKeyDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'NewestKey', 'query', variables);
    },
    StoreKey(variables: StoreKeyMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<StoreKeyMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<StoreKeyMutation>({ document: StoreKeyDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'StoreKey', 'mutation', variables);
    },
    StoreNextKey(variables: StoreNextKeyMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<StoreNextKeyMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<StoreNextKeyMutation>({ document: StoreNextKeyDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'StoreNextKey', 'mutation', variables);
    },
    ConfirmEmailChange(variables: ConfirmEmailChangeMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<ConfirmEmailChangeMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<ConfirmEmailChangeMutation>({ document: ConfirmEmailChangeDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'ConfirmEmailChange', 'mutation', variables);
    },
    ForgotPassword(variables: ForgotPasswordMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<ForgotPasswordMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<ForgotPasswordMutation>({ document: ForgotPasswordDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'ForgotPassword', 'mutation', variables);
    },
    LinkOwner(variables: LinkOwnerQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<LinkOwnerQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<LinkOwnerQuery>({ document: LinkOwnerDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'LinkOwner', 'query', variables);
    },
    OpenAccount(variables: OpenAccountMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<OpenAccountMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<OpenAccountMutation>({ document: OpenAccountDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'OpenAccount', 'mutation', variables);
    },
    ResendVerification(variables: ResendVerificationMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<ResendVerificationMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<ResendVerificationMutation>({ document: ResendVerificationDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'ResendVerification', 'mutation', variables);
    },
    Backlog(variables: BacklogQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<BacklogQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<BacklogQuery>({ document: BacklogDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'Backlog', 'query', variables);
    },
    RecordRefusedRequests(variables: RecordRefusedRequestsMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<RecordRefusedRequestsMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<RecordRefusedRequestsMutation>({ document: RecordRefusedRequestsDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'RecordRefusedRequests', 'mutation', variables);
    },
    LeaseMail(variables: LeaseMailMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<LeaseMailMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<LeaseMailMutation>({ document: LeaseMailDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'LeaseMail', 'mutation', variables);
    },
    MarkMailSent(variables: MarkMailSentMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<MarkMailSentMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<MarkMailSentMutation>({ document: MarkMailSentDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'MarkMailSent', 'mutation', variables);
    },
    StoreAccountLink(variables: StoreAccountLinkMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<StoreAccountLinkMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<StoreAccountLinkMutation>({ document: StoreAccountLinkDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'StoreAccountLink', 'mutation', variables);
    },
    StoreInviteToken(variables: StoreInviteTokenMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<StoreInviteTokenMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<StoreInviteTokenMutation>({ document: StoreInviteTokenDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'StoreInviteToken', 'mutation', variables);
    },
    AnnounceChains(variables: AnnounceChainsMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<AnnounceChainsMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<AnnounceChainsMutation>({ document: AnnounceChainsDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'AnnounceChains', 'mutation', variables);
    },
    LeaseTransaction(variables: LeaseTransactionMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<LeaseTransactionMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<LeaseTransactionMutation>({ document: LeaseTransactionDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'LeaseTransaction', 'mutation', variables);
    },
    LeaseTransactions(variables: LeaseTransactionsMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<LeaseTransactionsMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<LeaseTransactionsMutation>({ document: LeaseTransactionsDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'LeaseTransactions', 'mutation', variables);
    },
    StoreSightings(variables: StoreSightingsMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<StoreSightingsMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<StoreSightingsMutation>({ document: StoreSightingsDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'StoreSightings', 'mutation', variables);
    },
    Transaction(variables: TransactionQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<TransactionQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<TransactionQuery>({ document: TransactionDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'Transaction', 'query', variables);
    },
    PrecheckAction(variables: PrecheckActionQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<PrecheckActionQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<PrecheckActionQuery>({ document: PrecheckActionDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'PrecheckAction', 'query', variables);
    },
    Precheck(variables: PrecheckQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<PrecheckQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<PrecheckQuery>({ document: PrecheckDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'Precheck', 'query', variables);
    },
    Prices(variables: PricesQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<PricesQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<PricesQuery>({ document: PricesDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'Prices', 'query', variables);
    },
    StorePrices(variables: StorePricesMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<StorePricesMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<StorePricesMutation>({ document: StorePricesDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'StorePrices', 'mutation', variables);
    },
    EndLease(variables: EndLeaseMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<EndLeaseMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<EndLeaseMutation>({ document: EndLeaseDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'EndLease', 'mutation', variables);
    },
    LeaseRequest(variables: LeaseRequestMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<LeaseRequestMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<LeaseRequestMutation>({ document: LeaseRequestDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'LeaseRequest', 'mutation', variables);
    },
    LogPosition(variables: LogPositionQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<LogPositionQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<LogPositionQuery>({ document: LogPositionDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'LogPosition', 'query', variables);
    },
    StoreAnswer(variables: StoreAnswerMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<StoreAnswerMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<StoreAnswerMutation>({ document: StoreAnswerDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'StoreAnswer', 'mutation', variables);
    },
    AppOfRp(variables: AppOfRpQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<AppOfRpQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<AppOfRpQuery>({ document: AppOfRpDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'AppOfRp', 'query', variables);
    },
    ProofContext(variables: ProofContextQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<ProofContextQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<ProofContextQuery>({ document: ProofContextDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'ProofContext', 'query', variables);
    },
    RpStatus(variables: RpStatusQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<RpStatusQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<RpStatusQuery>({ document: RpStatusDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'RpStatus', 'query', variables);
    },
    CountHits(variables: CountHitsMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<CountHitsMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<CountHitsMutation>({ document: CountHitsDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'CountHits', 'mutation', variables);
    },
    EndLogin(variables: EndLoginMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<EndLoginMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<EndLoginMutation>({ document: EndLoginDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'EndLogin', 'mutation', variables);
    },
    CountedPerson(variables: CountedPersonQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<CountedPersonQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<CountedPersonQuery>({ document: CountedPersonDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'CountedPerson', 'query', variables);
    },
    FindOrCreateAction(variables: FindOrCreateActionMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<FindOrCreateActionMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<FindOrCreateActionMutation>({ document: FindOrCreateActionDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'FindOrCreateAction', 'mutation', variables);
    },
    SigningKey(variables: SigningKeyQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<SigningKeyQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<SigningKeyQuery>({ document: SigningKeyDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'SigningKey', 'query', variables);
    },
    VerifyAgain(variables: VerifyAgainQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<VerifyAgainQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<VerifyAgainQuery>({ document: VerifyAgainDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'VerifyAgain', 'query', variables);
    },
    VerifyV1Again(variables: VerifyV1AgainQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<VerifyV1AgainQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<VerifyV1AgainQuery>({ document: VerifyV1AgainDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'VerifyV1Again', 'query', variables);
    },
    VerifyV1(variables: VerifyV1QueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<VerifyV1Query> {
      return withWrapper((wrappedRequestHeaders) => client.request<VerifyV1Query>({ document: VerifyV1Document, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'VerifyV1', 'query', variables);
    },
    Verify(variables: VerifyQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<VerifyQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<VerifyQuery>({ document: VerifyDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'Verify', 'query', variables);
    }
  };
}
export type Sdk = ReturnType<typeof getSdk>;