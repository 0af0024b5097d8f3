/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
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

export type Action_Aggregate_Bool_Exp = {
  bool_and?: Action_Aggregate_Bool_Exp_Bool_And | null | undefined;
  bool_or?: Action_Aggregate_Bool_Exp_Bool_Or | null | undefined;
  count?: Action_Aggregate_Bool_Exp_Count | null | undefined;
};

export type Action_Aggregate_Bool_Exp_Bool_And = {
  arguments: Action_Select_Column_Action_Aggregate_Bool_Exp_Bool_And_Arguments_Columns;
  distinct?: boolean | null | undefined;
  filter?: Action_Bool_Exp | null | undefined;
  predicate: Boolean_Comparison_Exp;
};

export type Action_Aggregate_Bool_Exp_Bool_Or = {
  arguments: Action_Select_Column_Action_Aggregate_Bool_Exp_Bool_Or_Arguments_Columns;
  distinct?: boolean | null | undefined;
  filter?: Action_Bool_Exp | null | undefined;
  predicate: Boolean_Comparison_Exp;
};

export type Action_Aggregate_Bool_Exp_Count = {
  arguments?: Array<Action_Select_Column> | null | undefined;
  distinct?: boolean | null | undefined;
  filter?: Action_Bool_Exp | null | undefined;
  predicate: Int_Comparison_Exp;
};

export type Action_Arr_Rel_Insert_Input = {
  data: Array<Action_Insert_Input>;
  on_conflict?: Action_On_Conflict | null | undefined;
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
  nullifiers_aggregate?: Nullifier_Aggregate_Bool_Exp | null | undefined;
  protocol?: String_Comparison_Exp | null | undefined;
  return_url?: String_Comparison_Exp | null | undefined;
  status?: String_Comparison_Exp | null | undefined;
  updated_at?: Timestamptz_Comparison_Exp | null | undefined;
};

export type Action_Constraint =
  | 'action_app_id_action_key'
  | 'action_pkey';

export type Action_Insert_Input = {
  action?: string | null | undefined;
  allows_repeat?: boolean | null | undefined;
  app?: App_Obj_Rel_Insert_Input | null | undefined;
  app_id?: string | null | undefined;
  credentials?: Array<string> | null | undefined;
  description?: string | null | undefined;
  max_verifications?: number | null | undefined;
  name?: string | null | undefined;
  protocol?: string | null | undefined;
  return_url?: string | null | undefined;
  status?: string | null | undefined;
};

export type Action_On_Conflict = {
  constraint: Action_Constraint;
  update_columns?: Array<Action_Update_Column>;
  where?: Action_Bool_Exp | null | undefined;
};

export type Action_Select_Column =
  | 'action'
  | 'allows_repeat'
  | 'app_id'
  | 'created_at'
  | 'credentials'
  | 'description'
  | 'external_nullifier'
  | 'id'
  | 'max_accounts_per_user'
  | 'max_verifications'
  | 'name'
  | 'protocol'
  | 'return_url'
  | 'status'
  | 'updated_at';

export type Action_Select_Column_Action_Aggregate_Bool_Exp_Bool_And_Arguments_Columns =
  | 'allows_repeat';

export type Action_Select_Column_Action_Aggregate_Bool_Exp_Bool_Or_Arguments_Columns =
  | 'allows_repeat';

export type Action_Set_Input = {
  allows_repeat?: boolean | null | undefined;
  credentials?: Array<string> | null | undefined;
  description?: string | null | undefined;
  max_verifications?: number | null | undefined;
  name?: string | null | undefined;
  protocol?: string | null | undefined;
  return_url?: string | null | undefined;
  status?: string | null | undefined;
};

export type Action_Update_Column =
  | 'allows_repeat'
  | 'credentials'
  | 'description'
  | 'max_verifications'
  | 'name'
  | 'protocol'
  | 'return_url'
  | 'status';

export type Api_Key_Aggregate_Bool_Exp = {
  bool_and?: Api_Key_Aggregate_Bool_Exp_Bool_And | null | undefined;
  bool_or?: Api_Key_Aggregate_Bool_Exp_Bool_Or | null | undefined;
  count?: Api_Key_Aggregate_Bool_Exp_Count | null | undefined;
};

export type Api_Key_Aggregate_Bool_Exp_Bool_And = {
  arguments: Api_Key_Select_Column_Api_Key_Aggregate_Bool_Exp_Bool_And_Arguments_Columns;
  distinct?: boolean | null | undefined;
  filter?: Api_Key_Bool_Exp | null | undefined;
  predicate: Boolean_Comparison_Exp;
};

export type Api_Key_Aggregate_Bool_Exp_Bool_Or = {
  arguments: Api_Key_Select_Column_Api_Key_Aggregate_Bool_Exp_Bool_Or_Arguments_Columns;
  distinct?: boolean | null | undefined;
  filter?: Api_Key_Bool_Exp | null | undefined;
  predicate: Boolean_Comparison_Exp;
};

export type Api_Key_Aggregate_Bool_Exp_Count = {
  arguments?: Array<Api_Key_Select_Column> | null | undefined;
  distinct?: boolean | null | undefined;
  filter?: Api_Key_Bool_Exp | null | undefined;
  predicate: Int_Comparison_Exp;
};

export type Api_Key_Bool_Exp = {
  _and?: Array<Api_Key_Bool_Exp> | null | undefined;
  _not?: Api_Key_Bool_Exp | null | undefined;
  _or?: Array<Api_Key_Bool_Exp> | null | undefined;
  created_at?: Timestamptz_Comparison_Exp | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
  is_active?: Boolean_Comparison_Exp | null | undefined;
  last_used_at?: Timestamptz_Comparison_Exp | null | undefined;
  name?: String_Comparison_Exp | null | undefined;
  team?: Team_Bool_Exp | null | undefined;
  team_id?: String_Comparison_Exp | null | undefined;
  updated_at?: Timestamptz_Comparison_Exp | null | undefined;
};

export type Api_Key_Select_Column =
  | 'created_at'
  | 'id'
  | 'is_active'
  | 'last_used_at'
  | 'name'
  | 'team_id'
  | 'updated_at';

export type Api_Key_Select_Column_Api_Key_Aggregate_Bool_Exp_Bool_And_Arguments_Columns =
  | 'is_active';

export type Api_Key_Select_Column_Api_Key_Aggregate_Bool_Exp_Bool_Or_Arguments_Columns =
  | 'is_active';

export type Api_Key_Set_Input = {
  is_active?: boolean | null | undefined;
  name?: string | null | undefined;
};

export type App_Aggregate_Bool_Exp = {
  bool_and?: App_Aggregate_Bool_Exp_Bool_And | null | undefined;
  bool_or?: App_Aggregate_Bool_Exp_Bool_Or | null | undefined;
  count?: App_Aggregate_Bool_Exp_Count | null | undefined;
};

export type App_Aggregate_Bool_Exp_Bool_And = {
  arguments: App_Select_Column_App_Aggregate_Bool_Exp_Bool_And_Arguments_Columns;
  distinct?: boolean | null | undefined;
  filter?: App_Bool_Exp | null | undefined;
  predicate: Boolean_Comparison_Exp;
};

export type App_Aggregate_Bool_Exp_Bool_Or = {
  arguments: App_Select_Column_App_Aggregate_Bool_Exp_Bool_Or_Arguments_Columns;
  distinct?: boolean | null | undefined;
  filter?: App_Bool_Exp | null | undefined;
  predicate: Boolean_Comparison_Exp;
};

export type App_Aggregate_Bool_Exp_Count = {
  arguments?: Array<App_Select_Column> | null | undefined;
  distinct?: boolean | null | undefined;
  filter?: App_Bool_Exp | null | undefined;
  predicate: Int_Comparison_Exp;
};

export type App_Bool_Exp = {
  _and?: Array<App_Bool_Exp> | null | undefined;
  _not?: App_Bool_Exp | null | undefined;
  _or?: Array<App_Bool_Exp> | null | undefined;
  actions?: Action_Bool_Exp | null | undefined;
  actions_aggregate?: Action_Aggregate_Bool_Exp | null | undefined;
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
  redirects_aggregate?: Redirect_Aggregate_Bool_Exp | null | undefined;
  refused_requests?: Refused_Request_Bool_Exp | null | undefined;
  request_keys?: Request_Key_Bool_Exp | null | undefined;
  request_keys_aggregate?: Request_Key_Aggregate_Bool_Exp | null | undefined;
  rp_id?: String_Comparison_Exp | null | undefined;
  sign_in_client?: Sign_In_Client_Bool_Exp | null | undefined;
  status?: String_Comparison_Exp | null | undefined;
  team?: Team_Bool_Exp | null | undefined;
  team_id?: String_Comparison_Exp | null | undefined;
  transactions?: Transaction_Bool_Exp | null | undefined;
  transactions_aggregate?: Transaction_Aggregate_Bool_Exp | null | undefined;
  updated_at?: Timestamptz_Comparison_Exp | null | undefined;
};

export type App_Constraint =
  | 'app_pkey'
  | 'app_rp_id_key';

export type App_Insert_Input = {
  actions?: Action_Arr_Rel_Insert_Input | null | undefined;
  creates_actions?: boolean | null | undefined;
  engine?: string | null | undefined;
  is_staging?: boolean | null | undefined;
  logo_url?: string | null | undefined;
  name?: string | null | undefined;
  redirects?: Redirect_Arr_Rel_Insert_Input | null | undefined;
  status?: string | null | undefined;
  team_id?: string | null | undefined;
  transactions?: Transaction_Arr_Rel_Insert_Input | null | undefined;
};

export type App_Obj_Rel_Insert_Input = {
  data: App_Insert_Input;
  on_conflict?: App_On_Conflict | null | undefined;
};

export type App_On_Conflict = {
  constraint: App_Constraint;
  update_columns?: Array<App_Update_Column>;
  where?: App_Bool_Exp | null | undefined;
};

export type App_Select_Column =
  | 'created_at'
  | 'creates_actions'
  | 'engine'
  | 'id'
  | 'is_archived'
  | 'is_staging'
  | 'is_verified'
  | 'logo_url'
  | 'name'
  | 'rp_id'
  | 'status'
  | 'team_id'
  | 'updated_at';

export type App_Select_Column_App_Aggregate_Bool_Exp_Bool_And_Arguments_Columns =
  | 'creates_actions'
  | 'is_archived'
  | 'is_staging'
  | 'is_verified';

export type App_Select_Column_App_Aggregate_Bool_Exp_Bool_Or_Arguments_Columns =
  | 'creates_actions'
  | 'is_archived'
  | 'is_staging'
  | 'is_verified';

export type App_Set_Input = {
  creates_actions?: boolean | null | undefined;
  engine?: string | null | undefined;
  is_archived?: boolean | null | undefined;
  logo_url?: string | null | undefined;
  name?: string | null | undefined;
  status?: string | null | undefined;
};

export type App_Update_Column =
  | 'creates_actions'
  | 'engine'
  | 'is_archived'
  | 'logo_url'
  | 'name'
  | 'status';

export type Audit_Bool_Exp = {
  _and?: Array<Audit_Bool_Exp> | null | undefined;
  _not?: Audit_Bool_Exp | null | undefined;
  _or?: Array<Audit_Bool_Exp> | null | undefined;
  actor_id?: String_Comparison_Exp | null | undefined;
  actor_role?: String_Comparison_Exp | null | undefined;
  changes?: Jsonb_Comparison_Exp | null | undefined;
  created_at?: Timestamptz_Comparison_Exp | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
  operation?: String_Comparison_Exp | null | undefined;
  subject?: String_Comparison_Exp | null | undefined;
  subject_id?: String_Comparison_Exp | null | undefined;
  team?: Team_Bool_Exp | null | undefined;
  team_id?: String_Comparison_Exp | null | undefined;
};

export type Invite_Aggregate_Bool_Exp = {
  count?: Invite_Aggregate_Bool_Exp_Count | null | undefined;
};

export type Invite_Aggregate_Bool_Exp_Count = {
  arguments?: Array<Invite_Select_Column> | null | undefined;
  distinct?: boolean | null | undefined;
  filter?: Invite_Bool_Exp | null | undefined;
  predicate: Int_Comparison_Exp;
};

export type Invite_Bool_Exp = {
  _and?: Array<Invite_Bool_Exp> | null | undefined;
  _not?: Invite_Bool_Exp | null | undefined;
  _or?: Array<Invite_Bool_Exp> | null | undefined;
  created_at?: Timestamptz_Comparison_Exp | null | undefined;
  email?: String_Comparison_Exp | null | undefined;
  expires_at?: Timestamptz_Comparison_Exp | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
  invitee?: User_Bool_Exp | null | undefined;
  inviter?: User_Bool_Exp | null | undefined;
  mailed_at?: Timestamptz_Comparison_Exp | null | undefined;
  role?: String_Comparison_Exp | null | undefined;
  team?: Team_Bool_Exp | null | undefined;
  team_id?: String_Comparison_Exp | null | undefined;
  updated_at?: Timestamptz_Comparison_Exp | null | undefined;
};

export type Invite_Select_Column =
  | 'created_at'
  | 'email'
  | 'expires_at'
  | 'id'
  | 'mailed_at'
  | 'role'
  | 'team_id'
  | 'updated_at';

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

export type Membership_Aggregate_Bool_Exp = {
  count?: Membership_Aggregate_Bool_Exp_Count | null | undefined;
};

export type Membership_Aggregate_Bool_Exp_Count = {
  arguments?: Array<Membership_Select_Column> | null | undefined;
  distinct?: boolean | null | undefined;
  filter?: Membership_Bool_Exp | null | undefined;
  predicate: Int_Comparison_Exp;
};

export type Membership_Bool_Exp = {
  _and?: Array<Membership_Bool_Exp> | null | undefined;
  _not?: Membership_Bool_Exp | null | undefined;
  _or?: Array<Membership_Bool_Exp> | null | undefined;
  created_at?: Timestamptz_Comparison_Exp | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
  role?: String_Comparison_Exp | null | undefined;
  team?: Team_Bool_Exp | null | undefined;
  team_id?: String_Comparison_Exp | null | undefined;
  updated_at?: Timestamptz_Comparison_Exp | null | undefined;
  user?: User_Bool_Exp | null | undefined;
  user_id?: String_Comparison_Exp | null | undefined;
};

export type Membership_Select_Column =
  | 'created_at'
  | 'id'
  | 'role'
  | 'team_id'
  | 'updated_at'
  | 'user_id';

export type Nullifier_Aggregate_Bool_Exp = {
  count?: Nullifier_Aggregate_Bool_Exp_Count | null | undefined;
};

export type Nullifier_Aggregate_Bool_Exp_Count = {
  arguments?: Array<Nullifier_Select_Column> | null | undefined;
  distinct?: boolean | null | undefined;
  filter?: Nullifier_Bool_Exp | null | undefined;
  predicate: Int_Comparison_Exp;
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

export type Nullifier_Select_Column =
  | 'action_id'
  | 'created_at'
  | 'nullifier_hash'
  | 'updated_at'
  | 'uses';

export type Redirect_Aggregate_Bool_Exp = {
  count?: Redirect_Aggregate_Bool_Exp_Count | null | undefined;
};

export type Redirect_Aggregate_Bool_Exp_Count = {
  arguments?: Array<Redirect_Select_Column> | null | undefined;
  distinct?: boolean | null | undefined;
  filter?: Redirect_Bool_Exp | null | undefined;
  predicate: Int_Comparison_Exp;
};

export type Redirect_Arr_Rel_Insert_Input = {
  data: Array<Redirect_Insert_Input>;
  on_conflict?: Redirect_On_Conflict | null | undefined;
};

export type Redirect_Bool_Exp = {
  _and?: Array<Redirect_Bool_Exp> | null | undefined;
  _not?: Redirect_Bool_Exp | null | undefined;
  _or?: Array<Redirect_Bool_Exp> | null | undefined;
  app?: App_Bool_Exp | null | undefined;
  app_id?: String_Comparison_Exp | null | undefined;
  created_at?: Timestamptz_Comparison_Exp | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
  redirect_uri?: String_Comparison_Exp | null | undefined;
  updated_at?: Timestamptz_Comparison_Exp | null | undefined;
};

export type Redirect_Constraint =
  | 'redirect_app_id_redirect_uri_key'
  | 'redirect_pkey';

export type Redirect_Insert_Input = {
  app?: App_Obj_Rel_Insert_Input | null | undefined;
  app_id?: string | null | undefined;
  redirect_uri?: string | null | undefined;
};

export type Redirect_On_Conflict = {
  constraint: Redirect_Constraint;
  update_columns?: Array<Redirect_Update_Column>;
  where?: Redirect_Bool_Exp | null | undefined;
};

export type Redirect_Select_Column =
  | 'app_id'
  | 'created_at'
  | 'id'
  | 'redirect_uri'
  | 'updated_at';

export type Redirect_Update_Column =
  | 'redirect_uri';

export type Refused_Request_Bool_Exp = {
  _and?: Array<Refused_Request_Bool_Exp> | null | undefined;
  _not?: Refused_Request_Bool_Exp | null | undefined;
  _or?: Array<Refused_Request_Bool_Exp> | null | undefined;
  app?: App_Bool_Exp | null | undefined;
  app_id?: String_Comparison_Exp | null | undefined;
  attribute?: String_Comparison_Exp | null | undefined;
  code?: String_Comparison_Exp | null | undefined;
  created_at?: Timestamptz_Comparison_Exp | null | undefined;
  detail?: String_Comparison_Exp | null | undefined;
  endpoint?: String_Comparison_Exp | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
  reasons?: Jsonb_Comparison_Exp | null | undefined;
  request_id?: String_Comparison_Exp | null | undefined;
  times?: Int_Comparison_Exp | null | undefined;
};

export type Request_Key_Aggregate_Bool_Exp = {
  bool_and?: Request_Key_Aggregate_Bool_Exp_Bool_And | null | undefined;
  bool_or?: Request_Key_Aggregate_Bool_Exp_Bool_Or | null | undefined;
  count?: Request_Key_Aggregate_Bool_Exp_Count | null | undefined;
};

export type Request_Key_Aggregate_Bool_Exp_Bool_And = {
  arguments: Request_Key_Select_Column_Request_Key_Aggregate_Bool_Exp_Bool_And_Arguments_Columns;
  distinct?: boolean | null | undefined;
  filter?: Request_Key_Bool_Exp | null | undefined;
  predicate: Boolean_Comparison_Exp;
};

export type Request_Key_Aggregate_Bool_Exp_Bool_Or = {
  arguments: Request_Key_Select_Column_Request_Key_Aggregate_Bool_Exp_Bool_Or_Arguments_Columns;
  distinct?: boolean | null | undefined;
  filter?: Request_Key_Bool_Exp | null | undefined;
  predicate: Boolean_Comparison_Exp;
};

export type Request_Key_Aggregate_Bool_Exp_Count = {
  arguments?: Array<Request_Key_Select_Column> | null | undefined;
  distinct?: boolean | null | undefined;
  filter?: Request_Key_Bool_Exp | null | undefined;
  predicate: Int_Comparison_Exp;
};

export type Request_Key_Bool_Exp = {
  _and?: Array<Request_Key_Bool_Exp> | null | undefined;
  _not?: Request_Key_Bool_Exp | null | undefined;
  _or?: Array<Request_Key_Bool_Exp> | null | undefined;
  address?: String_Comparison_Exp | null | undefined;
  app?: App_Bool_Exp | null | undefined;
  app_id?: String_Comparison_Exp | null | undefined;
  created_at?: Timestamptz_Comparison_Exp | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
  is_active?: Boolean_Comparison_Exp | null | undefined;
};

export type Request_Key_Select_Column =
  | 'address'
  | 'app_id'
  | 'created_at'
  | 'id'
  | 'is_active';

export type Request_Key_Select_Column_Request_Key_Aggregate_Bool_Exp_Bool_And_Arguments_Columns =
  | 'is_active';

export type Request_Key_Select_Column_Request_Key_Aggregate_Bool_Exp_Bool_Or_Arguments_Columns =
  | 'is_active';

export type Sign_In_Client_Bool_Exp = {
  _and?: Array<Sign_In_Client_Bool_Exp> | null | undefined;
  _not?: Sign_In_Client_Bool_Exp | null | undefined;
  _or?: Array<Sign_In_Client_Bool_Exp> | null | undefined;
  app?: App_Bool_Exp | null | undefined;
  app_id?: String_Comparison_Exp | null | undefined;
  application_type?: String_Comparison_Exp | null | undefined;
  created_at?: Timestamptz_Comparison_Exp | null | undefined;
  is_public?: Boolean_Comparison_Exp | null | undefined;
  response_types?: Jsonb_Comparison_Exp | null | undefined;
  updated_at?: Timestamptz_Comparison_Exp | null | undefined;
};

export type Team_Bool_Exp = {
  _and?: Array<Team_Bool_Exp> | null | undefined;
  _not?: Team_Bool_Exp | null | undefined;
  _or?: Array<Team_Bool_Exp> | null | undefined;
  api_keys?: Api_Key_Bool_Exp | null | undefined;
  api_keys_aggregate?: Api_Key_Aggregate_Bool_Exp | null | undefined;
  apps?: App_Bool_Exp | null | undefined;
  apps_aggregate?: App_Aggregate_Bool_Exp | null | undefined;
  blocked_at?: Timestamptz_Comparison_Exp | null | undefined;
  created_at?: Timestamptz_Comparison_Exp | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
  invites?: Invite_Bool_Exp | null | undefined;
  invites_aggregate?: Invite_Aggregate_Bool_Exp | null | undefined;
  memberships?: Membership_Bool_Exp | null | undefined;
  memberships_aggregate?: Membership_Aggregate_Bool_Exp | null | undefined;
  name?: String_Comparison_Exp | null | undefined;
  updated_at?: Timestamptz_Comparison_Exp | null | undefined;
};

export type Team_Set_Input = {
  name?: string | null | undefined;
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

export type Transaction_Aggregate_Bool_Exp = {
  bool_and?: Transaction_Aggregate_Bool_Exp_Bool_And | null | undefined;
  bool_or?: Transaction_Aggregate_Bool_Exp_Bool_Or | null | undefined;
  count?: Transaction_Aggregate_Bool_Exp_Count | null | undefined;
};

export type Transaction_Aggregate_Bool_Exp_Bool_And = {
  arguments: Transaction_Select_Column_Transaction_Aggregate_Bool_Exp_Bool_And_Arguments_Columns;
  distinct?: boolean | null | undefined;
  filter?: Transaction_Bool_Exp | null | undefined;
  predicate: Boolean_Comparison_Exp;
};

export type Transaction_Aggregate_Bool_Exp_Bool_Or = {
  arguments: Transaction_Select_Column_Transaction_Aggregate_Bool_Exp_Bool_Or_Arguments_Columns;
  distinct?: boolean | null | undefined;
  filter?: Transaction_Bool_Exp | null | undefined;
  predicate: Boolean_Comparison_Exp;
};

export type Transaction_Aggregate_Bool_Exp_Count = {
  arguments?: Array<Transaction_Select_Column> | null | undefined;
  distinct?: boolean | null | undefined;
  filter?: Transaction_Bool_Exp | null | undefined;
  predicate: Int_Comparison_Exp;
};

export type Transaction_Arr_Rel_Insert_Input = {
  data: Array<Transaction_Insert_Input>;
  on_conflict?: Transaction_On_Conflict | null | undefined;
};

export type Transaction_Bool_Exp = {
  _and?: Array<Transaction_Bool_Exp> | null | undefined;
  _not?: Transaction_Bool_Exp | null | undefined;
  _or?: Array<Transaction_Bool_Exp> | null | undefined;
  app?: App_Bool_Exp | null | undefined;
  app_id?: String_Comparison_Exp | null | undefined;
  block_timestamp?: Timestamptz_Comparison_Exp | null | undefined;
  chain?: String_Comparison_Exp | null | undefined;
  created_at?: Timestamptz_Comparison_Exp | null | undefined;
  expected_from?: String_Comparison_Exp | null | undefined;
  failure_reason?: String_Comparison_Exp | null | undefined;
  from?: String_Comparison_Exp | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
  is_final?: Boolean_Comparison_Exp | null | undefined;
  not_before?: Timestamptz_Comparison_Exp | null | undefined;
  reference?: String_Comparison_Exp | null | undefined;
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

export type Transaction_Constraint =
  | 'transaction_app_id_reference_key'
  | 'transaction_app_id_transaction_id_key'
  | 'transaction_mined_pays_one_reference_key'
  | 'transaction_pays_one_reference_key'
  | 'transaction_pkey';

export type Transaction_Insert_Input = {
  app?: App_Obj_Rel_Insert_Input | null | undefined;
  app_id?: string | null | undefined;
  chain?: string | null | undefined;
  expected_from?: string | null | undefined;
  not_before?: string | null | undefined;
  reference?: string | null | undefined;
  to?: string | null | undefined;
  token?: string | null | undefined;
  token_amount?: string | null | undefined;
  transaction_hash?: string | null | undefined;
  transaction_id?: string | null | undefined;
  type?: string | null | undefined;
};

export type Transaction_On_Conflict = {
  constraint: Transaction_Constraint;
  update_columns?: Array<Transaction_Update_Column>;
  where?: Transaction_Bool_Exp | null | undefined;
};

export type Transaction_Select_Column =
  | 'app_id'
  | 'block_timestamp'
  | 'chain'
  | 'created_at'
  | 'expected_from'
  | 'failure_reason'
  | 'from'
  | 'id'
  | 'is_final'
  | 'not_before'
  | 'reference'
  | 'timestamp'
  | 'to'
  | 'token'
  | 'token_amount'
  | 'transaction_hash'
  | 'transaction_id'
  | 'transaction_status'
  | 'type'
  | 'updated_at';

export type Transaction_Select_Column_Transaction_Aggregate_Bool_Exp_Bool_And_Arguments_Columns =
  | 'is_final';

export type Transaction_Select_Column_Transaction_Aggregate_Bool_Exp_Bool_Or_Arguments_Columns =
  | 'is_final';

export type Transaction_Set_Input = {
  chain?: string | null | undefined;
  expected_from?: string | null | undefined;
  not_before?: string | null | undefined;
  reference?: string | null | undefined;
  to?: string | null | undefined;
  token?: string | null | undefined;
  token_amount?: string | null | undefined;
  transaction_hash?: string | null | undefined;
};

export type Transaction_Update_Column =
  | 'chain'
  | 'expected_from'
  | 'not_before'
  | 'reference'
  | 'to'
  | 'token'
  | 'token_amount'
  | 'transaction_hash';

export type User_Bool_Exp = {
  _and?: Array<User_Bool_Exp> | null | undefined;
  _not?: User_Bool_Exp | null | undefined;
  _or?: Array<User_Bool_Exp> | null | undefined;
  created_at?: Timestamptz_Comparison_Exp | null | undefined;
  email?: String_Comparison_Exp | null | undefined;
  email_verified_at?: Timestamptz_Comparison_Exp | null | undefined;
  id?: String_Comparison_Exp | null | undefined;
  memberships?: Membership_Bool_Exp | null | undefined;
  memberships_aggregate?: Membership_Aggregate_Bool_Exp | null | undefined;
  name?: String_Comparison_Exp | null | undefined;
};

export type User_Set_Input = {
  name?: string | null | undefined;
};

export type LoginsQueryVariables = Exact<{ [key: string]: never; }>;


export type LoginsQuery = { login: Array<{ id: string, address: string | null, user_agent: string | null, created_at: string, expires_at: string }> };

export type EndLoginMutationVariables = Exact<{
  id: string;
}>;


export type EndLoginMutation = { delete_login_by_pk: { id: string } | null };

export type EndAllLoginsMutationVariables = Exact<{ [key: string]: never; }>;


export type EndAllLoginsMutation = { delete_login: { affected_rows: number } | null };

export type RenameMutationVariables = Exact<{
  id: string;
  set: User_Set_Input;
  where: User_Bool_Exp;
}>;


export type RenameMutation = { update_user: { affected_rows: number } | null };

export type ChangePasswordMutationVariables = Exact<{
  current_password: string;
  new_password: string;
}>;


export type ChangePasswordMutation = { change_password: { success: boolean } };

export type ChangeEmailMutationVariables = Exact<{
  password: string;
  email: string;
}>;


export type ChangeEmailMutation = { change_email: { success: boolean } };

export type DeleteAccountMutationVariables = Exact<{
  password: string;
}>;


export type DeleteAccountMutation = { delete_account: { success: boolean } };

export type ActionQueryVariables = Exact<{
  id: string;
}>;


export type ActionQuery = { action_by_pk: { id: string, app_id: string, action: string, name: string, description: string, protocol: string, max_verifications: number, allows_repeat: boolean, credentials: Array<string>, return_url: string, status: string, external_nullifier: string | null } | null };

export type PeopleQueryVariables = Exact<{
  where: Nullifier_Bool_Exp;
  limit: number;
}>;


export type PeopleQuery = { nullifier: Array<{ nullifier_hash: string, uses: number, created_at: string }> };

export type LatestPersonSubscriptionVariables = Exact<{
  action_id: string;
}>;


export type LatestPersonSubscription = { nullifier: Array<{ nullifier_hash: string }> };

export type ChangeActionMutationVariables = Exact<{
  id: string;
  set: Action_Set_Input;
  where: Action_Bool_Exp;
}>;


export type ChangeActionMutation = { update_action: { affected_rows: number } | null };

export type DeleteActionMutationVariables = Exact<{
  id: string;
}>;


export type DeleteActionMutation = { delete_action_by_pk: { id: string } | null };

export type ActionsQueryVariables = Exact<{
  app_id: string;
  where: Action_Bool_Exp;
  limit: number;
}>;


export type ActionsQuery = { action: Array<{ id: string, action: string, name: string, status: string, max_verifications: number, created_at: string }> };

export type CreateActionMutationVariables = Exact<{
  object: Action_Insert_Input;
}>;


export type CreateActionMutation = { insert_action_one: { id: string } | null };

export type SaveAppMutationVariables = Exact<{
  id: string;
  set: App_Set_Input;
  where: App_Bool_Exp;
}>;


export type SaveAppMutation = { update_app: { affected_rows: number } | null };

export type ChangeAppMutationVariables = Exact<{
  id: string;
  set: App_Set_Input;
}>;


export type ChangeAppMutation = { update_app_by_pk: { id: string } | null };

export type AuditQueryVariables = Exact<{
  where: Audit_Bool_Exp;
  limit: number;
}>;


export type AuditQuery = { audit: Array<{ id: string, created_at: string, actor_role: string, actor_id: string | null, operation: string, subject: string, subject_id: string, changes: unknown }> };

export type AuditActorsQueryVariables = Exact<{
  team_id: string;
}>;


export type AuditActorsQuery = { membership: Array<{ user: { id: string, name: string } }>, api_key: Array<{ id: string, name: string }> };

export type AuditNamesQueryVariables = Exact<{
  team_id: string;
  ids: Array<string> | string;
}>;


export type AuditNamesQuery = { app: Array<{ id: string, name: string }>, action: Array<{ id: string, app_id: string, action: string, name: string }>, membership: Array<{ id: string, user: { id: string, name: string } }>, api_key: Array<{ id: string, name: string }>, redirect: Array<{ id: string, app_id: string, redirect_uri: string }>, transaction: Array<{ id: string, app_id: string, reference: string }> };

export type CheckProofQueryVariables = Exact<{
  app_id: string;
  action: string;
  proof: unknown;
}>;


export type CheckProofQuery = { check_proof: { checks: Array<{ name: string, passed: boolean | null, detail: string }> } };

export type KeysQueryVariables = Exact<{
  team_id: string;
  where: Api_Key_Bool_Exp;
  limit: number;
}>;


export type KeysQuery = { api_key: Array<{ id: string, name: string, is_active: boolean, last_used_at: string | null, created_at: string }> };

export type CreateKeyMutationVariables = Exact<{
  team_id: string;
  name: string;
}>;


export type CreateKeyMutation = { create_api_key: { id: string, api_key: string } };

export type ResetKeyMutationVariables = Exact<{
  id: string;
}>;


export type ResetKeyMutation = { reset_api_key: { api_key: string } };

export type RenameKeyMutationVariables = Exact<{
  id: string;
  set: Api_Key_Set_Input;
  where: Api_Key_Bool_Exp;
}>;


export type RenameKeyMutation = { update_api_key: { affected_rows: number } | null };

export type ChangeKeyMutationVariables = Exact<{
  id: string;
  set: Api_Key_Set_Input;
}>;


export type ChangeKeyMutation = { update_api_key_by_pk: { id: string } | null };

export type MembersQueryVariables = Exact<{
  team_id: string;
  where: Membership_Bool_Exp;
  limit: number;
}>;


export type MembersQuery = { membership: Array<{ id: string, role: string, created_at: string, user: { id: string, name: string, email: string } }> };

export type InvitesQueryVariables = Exact<{
  team_id: string;
}>;


export type InvitesQuery = { invite: Array<{ id: string, email: string, expires_at: string, mailed_at: string | null }> };

export type InviteMembersMutationVariables = Exact<{
  team_id: string;
  emails: Array<string> | string;
}>;


export type InviteMembersMutation = { invite_team_members: { outcomes: Array<{ email: string, outcome: string }> } };

export type WithdrawInviteMutationVariables = Exact<{
  id: string;
}>;


export type WithdrawInviteMutation = { delete_invite_by_pk: { id: string } | null };

export type ChangeRoleMutationVariables = Exact<{
  id: string;
  role: string;
}>;


export type ChangeRoleMutation = { update_membership_by_pk: { id: string } | null };

export type RemoveMemberMutationVariables = Exact<{
  id: string;
}>;


export type RemoveMemberMutation = { delete_membership_by_pk: { id: string } | null };

export type CreateAppMutationVariables = Exact<{
  object: App_Insert_Input;
}>;


export type CreateAppMutation = { insert_app_one: { id: string } | null };

export type CreateTeamMutationVariables = Exact<{
  name: string;
}>;


export type CreateTeamMutation = { create_team: { team_id: string } };

export type OverviewQueryVariables = Exact<{
  team_id: string;
  since: string;
}>;


export type OverviewQuery = { app: Array<{ id: string, name: string, is_staging: boolean, actions_aggregate: { aggregate: { count: number } | null } }>, failed: Array<{ id: string, app_id: string, reference: string, failure_reason: string | null }> };

export type NewPeopleOfTeamSubscriptionVariables = Exact<{
  team_id: string;
  since: string;
}>;


export type NewPeopleOfTeamSubscription = { nullifier_stream: Array<{ action_id: string }> };

export type PaymentsQueryVariables = Exact<{
  app_id: string;
  where: Transaction_Bool_Exp;
  limit: number;
}>;


export type PaymentsQuery = { transaction: Array<{ id: string, type: string, reference: string, chain: string, transaction_hash: string, token: string, token_amount: string, to: string, from: string, expected_from: string | null, not_before: string | null, transaction_status: string, failure_reason: string | null, is_final: boolean, block_timestamp: string | null, created_at: string }> };

export type EnterPaymentMutationVariables = Exact<{
  object: Transaction_Insert_Input;
}>;


export type EnterPaymentMutation = { insert_transaction_one: { id: string } | null };

export type CorrectPaymentMutationVariables = Exact<{
  id: string;
  set: Transaction_Set_Input;
  where: Transaction_Bool_Exp;
}>;


export type CorrectPaymentMutation = { update_transaction: { affected_rows: number } | null };

export type RemovePaymentMutationVariables = Exact<{
  id: string;
}>;


export type RemovePaymentMutation = { delete_transaction_by_pk: { id: string } | null };

export type ChainsQueryVariables = Exact<{ [key: string]: never; }>;


export type ChainsQuery = { chain: Array<{ name: string | null, tokens: unknown }> };

export type RequestLogQueryVariables = Exact<{
  app_id: string;
  where: Refused_Request_Bool_Exp;
  limit: number;
}>;


export type RequestLogQuery = { refused_request: Array<{ id: string, created_at: string, endpoint: string, code: string, attribute: string | null, detail: string, reasons: unknown, request_id: string, times: number }>, codes: Array<{ code: string }> };

export type RedirectsQueryVariables = Exact<{
  app_id: string;
}>;


export type RedirectsQuery = { redirect: Array<{ id: string, redirect_uri: string }> };

export type AddRedirectMutationVariables = Exact<{
  app_id: string;
  redirect_uri: string;
}>;


export type AddRedirectMutation = { insert_redirect_one: { id: string } | null };

export type RemoveRedirectMutationVariables = Exact<{
  id: string;
}>;


export type RemoveRedirectMutation = { delete_redirect_by_pk: { id: string } | null };

export type ResetClientSecretMutationVariables = Exact<{
  app_id: string;
}>;


export type ResetClientSecretMutation = { reset_client_secret: { client_secret: string } };

export type RemoveClientSecretMutationVariables = Exact<{
  app_id: string;
}>;


export type RemoveClientSecretMutation = { remove_client_secret: { client_id: string } };

export type SignInClientQueryVariables = Exact<{
  app_id: string;
}>;


export type SignInClientQuery = { sign_in_client_by_pk: { is_public: boolean, response_types: unknown } | null };

export type TeamStatsQueryVariables = Exact<{
  team_id: string;
  action_id?: string | null | undefined;
  hours: number;
  spans: number;
}>;


export type TeamStatsQuery = { team_stats: { from: string, persons: number, verifications: number, latest: string | null, actions: Array<{ id: string, action: string, name: string, app_id: string, app_name: string, persons: number }>, counts: Array<{ since: string, action_id: string | null, persons: number }> } };

export type RenameTeamMutationVariables = Exact<{
  id: string;
  set: Team_Set_Input;
  where: Team_Bool_Exp;
}>;


export type RenameTeamMutation = { update_team: { affected_rows: number } | null };

export type DeleteTeamMutationVariables = Exact<{
  team_id: string;
}>;


export type DeleteTeamMutation = { delete_team: { success: boolean } };

export type AccountQueryVariables = Exact<{ [key: string]: never; }>;


export type AccountQuery = { login: Array<{ user: { id: string, name: string, email: string, email_verified_at: string | null } }> };

export type MembershipsQueryVariables = Exact<{ [key: string]: never; }>;


export type MembershipsQuery = { login: Array<{ user: { memberships: Array<{ id: string, role: string, team: { id: string, name: string } }> } }> };

export type ActionChoicesQueryVariables = Exact<{
  app_id: string;
  pattern: string;
}>;


export type ActionChoicesQuery = { action: Array<{ action: string, name: string }> };

export type ActionRulesQueryVariables = Exact<{
  app_id: string;
  action: string;
}>;


export type ActionRulesQuery = { action: Array<{ protocol: string, credentials: Array<string> }> };

export type AppQueryVariables = Exact<{
  id: string;
}>;


export type AppQuery = { app_by_pk: { id: string, team_id: string, name: string, logo_url: string, engine: string, status: string, is_staging: boolean, is_archived: boolean, is_verified: boolean, created_at: string, rp_id: string, creates_actions: boolean, request_keys: Array<{ address: string, created_at: string }> } | null };

export type AppsQueryVariables = Exact<{
  where: App_Bool_Exp;
  limit: number;
}>;


export type AppsQuery = { app: Array<{ id: string, name: string, is_staging: boolean, is_archived: boolean, created_at: string }> };

export type CreateRequestKeyMutationVariables = Exact<{
  app_id: string;
}>;


export type CreateRequestKeyMutation = { create_request_key: { private_key: string } };

export type RotateRequestKeyMutationVariables = Exact<{
  app_id: string;
}>;


export type RotateRequestKeyMutation = { rotate_request_key: { private_key: string } };

export type TeamQueryVariables = Exact<{
  team_id: string;
}>;


export type TeamQuery = { team_by_pk: { id: string, name: string, blocked_at: string | null } | null, login: Array<{ user: { memberships: Array<{ role: string }> } }> };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}

export const LoginsDocument = new TypedDocumentString(`
    query Logins {
  login(order_by: {created_at: desc}) {
    id
    address
    user_agent
    created_at
    expires_at
  }
}
    `) as unknown as TypedDocumentString<LoginsQuery, LoginsQueryVariables>;
export const EndLoginDocument = new TypedDocumentString(`
    mutation EndLogin($id: String!) {
  delete_login_by_pk(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<EndLoginMutation, EndLoginMutationVariables>;
export const EndAllLoginsDocument = new TypedDocumentString(`
    mutation EndAllLogins {
  delete_login(where: {}) {
    affected_rows
  }
}
    `) as unknown as TypedDocumentString<EndAllLoginsMutation, EndAllLoginsMutationVariables>;
export const RenameDocument = new TypedDocumentString(`
    mutation Rename($id: String!, $set: user_set_input!, $where: user_bool_exp!) {
  update_user(where: {id: {_eq: $id}, _and: [$where]}, _set: $set) {
    affected_rows
  }
}
    `) as unknown as TypedDocumentString<RenameMutation, RenameMutationVariables>;
export const ChangePasswordDocument = new TypedDocumentString(`
    mutation ChangePassword($current_password: String!, $new_password: String!) {
  change_password(
    current_password: $current_password
    new_password: $new_password
  ) {
    success
  }
}
    `) as unknown as TypedDocumentString<ChangePasswordMutation, ChangePasswordMutationVariables>;
export const ChangeEmailDocument = new TypedDocumentString(`
    mutation ChangeEmail($password: String!, $email: String!) {
  change_email(password: $password, email: $email) {
    success
  }
}
    `) as unknown as TypedDocumentString<ChangeEmailMutation, ChangeEmailMutationVariables>;
export const DeleteAccountDocument = new TypedDocumentString(`
    mutation DeleteAccount($password: String!) {
  delete_account(password: $password) {
    success
  }
}
    `) as unknown as TypedDocumentString<DeleteAccountMutation, DeleteAccountMutationVariables>;
export const ActionDocument = new TypedDocumentString(`
    query Action($id: String!) {
  action_by_pk(id: $id) {
    id
    app_id
    action
    name
    description
    protocol
    max_verifications
    allows_repeat
    credentials
    return_url
    status
    external_nullifier
  }
}
    `) as unknown as TypedDocumentString<ActionQuery, ActionQueryVariables>;
export const PeopleDocument = new TypedDocumentString(`
    query People($where: nullifier_bool_exp!, $limit: Int!) {
  nullifier(
    where: $where
    order_by: [{created_at: desc}, {nullifier_hash: desc}]
    limit: $limit
  ) {
    nullifier_hash
    uses
    created_at
  }
}
    `) as unknown as TypedDocumentString<PeopleQuery, PeopleQueryVariables>;
export const LatestPersonDocument = new TypedDocumentString(`
    subscription LatestPerson($action_id: String!) {
  nullifier(
    where: {action_id: {_eq: $action_id}}
    order_by: [{created_at: desc}, {nullifier_hash: desc}]
    limit: 1
  ) {
    nullifier_hash
  }
}
    `) as unknown as TypedDocumentString<LatestPersonSubscription, LatestPersonSubscriptionVariables>;
export const ChangeActionDocument = new TypedDocumentString(`
    mutation ChangeAction($id: String!, $set: action_set_input!, $where: action_bool_exp!) {
  update_action(where: {id: {_eq: $id}, _and: [$where]}, _set: $set) {
    affected_rows
  }
}
    `) as unknown as TypedDocumentString<ChangeActionMutation, ChangeActionMutationVariables>;
export const DeleteActionDocument = new TypedDocumentString(`
    mutation DeleteAction($id: String!) {
  delete_action_by_pk(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<DeleteActionMutation, DeleteActionMutationVariables>;
export const ActionsDocument = new TypedDocumentString(`
    query Actions($app_id: String!, $where: action_bool_exp!, $limit: Int!) {
  action(
    where: {app_id: {_eq: $app_id}, action: {_neq: ""}, _and: [$where]}
    order_by: [{created_at: desc}, {id: desc}]
    limit: $limit
  ) {
    id
    action
    name
    status
    max_verifications
    created_at
  }
}
    `) as unknown as TypedDocumentString<ActionsQuery, ActionsQueryVariables>;
export const CreateActionDocument = new TypedDocumentString(`
    mutation CreateAction($object: action_insert_input!) {
  insert_action_one(object: $object) {
    id
  }
}
    `) as unknown as TypedDocumentString<CreateActionMutation, CreateActionMutationVariables>;
export const SaveAppDocument = new TypedDocumentString(`
    mutation SaveApp($id: String!, $set: app_set_input!, $where: app_bool_exp!) {
  update_app(where: {id: {_eq: $id}, _and: [$where]}, _set: $set) {
    affected_rows
  }
}
    `) as unknown as TypedDocumentString<SaveAppMutation, SaveAppMutationVariables>;
export const ChangeAppDocument = new TypedDocumentString(`
    mutation ChangeApp($id: String!, $set: app_set_input!) {
  update_app_by_pk(pk_columns: {id: $id}, _set: $set) {
    id
  }
}
    `) as unknown as TypedDocumentString<ChangeAppMutation, ChangeAppMutationVariables>;
export const AuditDocument = new TypedDocumentString(`
    query Audit($where: audit_bool_exp!, $limit: Int!) {
  audit(where: $where, order_by: [{created_at: desc}, {id: desc}], limit: $limit) {
    id
    created_at
    actor_role
    actor_id
    operation
    subject
    subject_id
    changes
  }
}
    `) as unknown as TypedDocumentString<AuditQuery, AuditQueryVariables>;
export const AuditActorsDocument = new TypedDocumentString(`
    query AuditActors($team_id: String!) {
  membership(
    where: {team_id: {_eq: $team_id}}
    order_by: {user: {name: asc}}
    limit: 500
  ) {
    user {
      id
      name
    }
  }
  api_key(where: {team_id: {_eq: $team_id}}, order_by: {name: asc}, limit: 500) {
    id
    name
  }
}
    `) as unknown as TypedDocumentString<AuditActorsQuery, AuditActorsQueryVariables>;
export const AuditNamesDocument = new TypedDocumentString(`
    query AuditNames($team_id: String!, $ids: [String!]!) {
  app(where: {id: {_in: $ids}}) {
    id
    name
  }
  action(where: {id: {_in: $ids}}) {
    id
    app_id
    action
    name
  }
  membership(
    where: {team_id: {_eq: $team_id}, _or: [{id: {_in: $ids}}, {user_id: {_in: $ids}}]}
  ) {
    id
    user {
      id
      name
    }
  }
  api_key(where: {id: {_in: $ids}}) {
    id
    name
  }
  redirect(where: {id: {_in: $ids}}) {
    id
    app_id
    redirect_uri
  }
  transaction(where: {id: {_in: $ids}}) {
    id
    app_id
    reference
  }
}
    `) as unknown as TypedDocumentString<AuditNamesQuery, AuditNamesQueryVariables>;
export const CheckProofDocument = new TypedDocumentString(`
    query CheckProof($app_id: String!, $action: String!, $proof: jsonb!) {
  check_proof(app_id: $app_id, action: $action, proof: $proof) {
    checks {
      name
      passed
      detail
    }
  }
}
    `) as unknown as TypedDocumentString<CheckProofQuery, CheckProofQueryVariables>;
export const KeysDocument = new TypedDocumentString(`
    query Keys($team_id: String!, $where: api_key_bool_exp!, $limit: Int!) {
  api_key(
    where: {team_id: {_eq: $team_id}, _and: [$where]}
    order_by: [{created_at: asc}, {id: asc}]
    limit: $limit
  ) {
    id
    name
    is_active
    last_used_at
    created_at
  }
}
    `) as unknown as TypedDocumentString<KeysQuery, KeysQueryVariables>;
export const CreateKeyDocument = new TypedDocumentString(`
    mutation CreateKey($team_id: String!, $name: String!) {
  create_api_key(team_id: $team_id, name: $name) {
    id
    api_key
  }
}
    `) as unknown as TypedDocumentString<CreateKeyMutation, CreateKeyMutationVariables>;
export const ResetKeyDocument = new TypedDocumentString(`
    mutation ResetKey($id: String!) {
  reset_api_key(id: $id) {
    api_key
  }
}
    `) as unknown as TypedDocumentString<ResetKeyMutation, ResetKeyMutationVariables>;
export const RenameKeyDocument = new TypedDocumentString(`
    mutation RenameKey($id: String!, $set: api_key_set_input!, $where: api_key_bool_exp!) {
  update_api_key(where: {id: {_eq: $id}, _and: [$where]}, _set: $set) {
    affected_rows
  }
}
    `) as unknown as TypedDocumentString<RenameKeyMutation, RenameKeyMutationVariables>;
export const ChangeKeyDocument = new TypedDocumentString(`
    mutation ChangeKey($id: String!, $set: api_key_set_input!) {
  update_api_key_by_pk(pk_columns: {id: $id}, _set: $set) {
    id
  }
}
    `) as unknown as TypedDocumentString<ChangeKeyMutation, ChangeKeyMutationVariables>;
export const MembersDocument = new TypedDocumentString(`
    query Members($team_id: String!, $where: membership_bool_exp!, $limit: Int!) {
  membership(
    where: {team_id: {_eq: $team_id}, _and: [$where]}
    order_by: [{created_at: asc}, {id: asc}]
    limit: $limit
  ) {
    id
    role
    created_at
    user {
      id
      name
      email
    }
  }
}
    `) as unknown as TypedDocumentString<MembersQuery, MembersQueryVariables>;
export const InvitesDocument = new TypedDocumentString(`
    query Invites($team_id: String!) {
  invite(where: {team_id: {_eq: $team_id}}, order_by: {created_at: desc}) {
    id
    email
    expires_at
    mailed_at
  }
}
    `) as unknown as TypedDocumentString<InvitesQuery, InvitesQueryVariables>;
export const InviteMembersDocument = new TypedDocumentString(`
    mutation InviteMembers($team_id: String!, $emails: [String!]!) {
  invite_team_members(team_id: $team_id, emails: $emails) {
    outcomes {
      email
      outcome
    }
  }
}
    `) as unknown as TypedDocumentString<InviteMembersMutation, InviteMembersMutationVariables>;
export const WithdrawInviteDocument = new TypedDocumentString(`
    mutation WithdrawInvite($id: String!) {
  delete_invite_by_pk(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<WithdrawInviteMutation, WithdrawInviteMutationVariables>;
export const ChangeRoleDocument = new TypedDocumentString(`
    mutation ChangeRole($id: String!, $role: String!) {
  update_membership_by_pk(pk_columns: {id: $id}, _set: {role: $role}) {
    id
  }
}
    `) as unknown as TypedDocumentString<ChangeRoleMutation, ChangeRoleMutationVariables>;
export const RemoveMemberDocument = new TypedDocumentString(`
    mutation RemoveMember($id: String!) {
  delete_membership_by_pk(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<RemoveMemberMutation, RemoveMemberMutationVariables>;
export const CreateAppDocument = new TypedDocumentString(`
    mutation CreateApp($object: app_insert_input!) {
  insert_app_one(object: $object) {
    id
  }
}
    `) as unknown as TypedDocumentString<CreateAppMutation, CreateAppMutationVariables>;
export const CreateTeamDocument = new TypedDocumentString(`
    mutation CreateTeam($name: String!) {
  create_team(name: $name) {
    team_id
  }
}
    `) as unknown as TypedDocumentString<CreateTeamMutation, CreateTeamMutationVariables>;
export const OverviewDocument = new TypedDocumentString(`
    query Overview($team_id: String!, $since: timestamptz!) {
  app(
    where: {team_id: {_eq: $team_id}, is_archived: {_eq: false}}
    order_by: [{created_at: asc}, {id: asc}]
  ) {
    id
    name
    is_staging
    actions_aggregate(where: {action: {_neq: ""}}) {
      aggregate {
        count
      }
    }
  }
  failed: transaction(
    where: {app: {team_id: {_eq: $team_id}}, transaction_status: {_eq: "failed"}, created_at: {_gte: $since}}
    order_by: {created_at: desc}
    limit: 5
  ) {
    id
    app_id
    reference
    failure_reason
  }
}
    `) as unknown as TypedDocumentString<OverviewQuery, OverviewQueryVariables>;
export const NewPeopleOfTeamDocument = new TypedDocumentString(`
    subscription NewPeopleOfTeam($team_id: String!, $since: timestamptz!) {
  nullifier_stream(
    where: {action: {app: {team_id: {_eq: $team_id}}}}
    cursor: [{initial_value: {created_at: $since}, ordering: ASC}]
    batch_size: 100
  ) {
    action_id
  }
}
    `) as unknown as TypedDocumentString<NewPeopleOfTeamSubscription, NewPeopleOfTeamSubscriptionVariables>;
export const PaymentsDocument = new TypedDocumentString(`
    query Payments($app_id: String!, $where: transaction_bool_exp!, $limit: Int!) {
  transaction(
    where: {app_id: {_eq: $app_id}, _and: [$where]}
    order_by: [{created_at: desc}, {id: desc}]
    limit: $limit
  ) {
    id
    type
    reference
    chain
    transaction_hash
    token
    token_amount
    to
    from
    expected_from
    not_before
    transaction_status
    failure_reason
    is_final
    block_timestamp
    created_at
  }
}
    `) as unknown as TypedDocumentString<PaymentsQuery, PaymentsQueryVariables>;
export const EnterPaymentDocument = new TypedDocumentString(`
    mutation EnterPayment($object: transaction_insert_input!) {
  insert_transaction_one(object: $object) {
    id
  }
}
    `) as unknown as TypedDocumentString<EnterPaymentMutation, EnterPaymentMutationVariables>;
export const CorrectPaymentDocument = new TypedDocumentString(`
    mutation CorrectPayment($id: String!, $set: transaction_set_input!, $where: transaction_bool_exp!) {
  update_transaction(where: {id: {_eq: $id}, _and: [$where]}, _set: $set) {
    affected_rows
  }
}
    `) as unknown as TypedDocumentString<CorrectPaymentMutation, CorrectPaymentMutationVariables>;
export const RemovePaymentDocument = new TypedDocumentString(`
    mutation RemovePayment($id: String!) {
  delete_transaction_by_pk(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<RemovePaymentMutation, RemovePaymentMutationVariables>;
export const ChainsDocument = new TypedDocumentString(`
    query Chains {
  chain(order_by: {name: asc}) {
    name
    tokens
  }
}
    `) as unknown as TypedDocumentString<ChainsQuery, ChainsQueryVariables>;
export const RequestLogDocument = new TypedDocumentString(`
    query RequestLog($app_id: String!, $where: refused_request_bool_exp!, $limit: Int!) {
  refused_request(
    where: {_and: [{app_id: {_eq: $app_id}}, $where]}
    order_by: [{created_at: desc}, {id: desc}]
    limit: $limit
  ) {
    id
    created_at
    endpoint
    code
    attribute
    detail
    reasons
    request_id
    times
  }
  codes: refused_request(
    where: {app_id: {_eq: $app_id}}
    distinct_on: code
    order_by: {code: asc}
  ) {
    code
  }
}
    `) as unknown as TypedDocumentString<RequestLogQuery, RequestLogQueryVariables>;
export const RedirectsDocument = new TypedDocumentString(`
    query Redirects($app_id: String!) {
  redirect(
    where: {app_id: {_eq: $app_id}}
    order_by: [{created_at: asc}, {id: asc}]
  ) {
    id
    redirect_uri
  }
}
    `) as unknown as TypedDocumentString<RedirectsQuery, RedirectsQueryVariables>;
export const AddRedirectDocument = new TypedDocumentString(`
    mutation AddRedirect($app_id: String!, $redirect_uri: String!) {
  insert_redirect_one(object: {app_id: $app_id, redirect_uri: $redirect_uri}) {
    id
  }
}
    `) as unknown as TypedDocumentString<AddRedirectMutation, AddRedirectMutationVariables>;
export const RemoveRedirectDocument = new TypedDocumentString(`
    mutation RemoveRedirect($id: String!) {
  delete_redirect_by_pk(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<RemoveRedirectMutation, RemoveRedirectMutationVariables>;
export const ResetClientSecretDocument = new TypedDocumentString(`
    mutation ResetClientSecret($app_id: String!) {
  reset_client_secret(app_id: $app_id) {
    client_secret
  }
}
    `) as unknown as TypedDocumentString<ResetClientSecretMutation, ResetClientSecretMutationVariables>;
export const RemoveClientSecretDocument = new TypedDocumentString(`
    mutation RemoveClientSecret($app_id: String!) {
  remove_client_secret(app_id: $app_id) {
    client_id
  }
}
    `) as unknown as TypedDocumentString<RemoveClientSecretMutation, RemoveClientSecretMutationVariables>;
export const SignInClientDocument = new TypedDocumentString(`
    query SignInClient($app_id: String!) {
  sign_in_client_by_pk(app_id: $app_id) {
    is_public
    response_types
  }
}
    `) as unknown as TypedDocumentString<SignInClientQuery, SignInClientQueryVariables>;
export const TeamStatsDocument = new TypedDocumentString(`
    query TeamStats($team_id: String!, $action_id: String, $hours: Int!, $spans: Int!) {
  team_stats(
    team_id: $team_id
    action_id: $action_id
    hours: $hours
    spans: $spans
  ) {
    from
    persons
    verifications
    latest
    actions {
      id
      action
      name
      app_id
      app_name
      persons
    }
    counts {
      since
      action_id
      persons
    }
  }
}
    `) as unknown as TypedDocumentString<TeamStatsQuery, TeamStatsQueryVariables>;
export const RenameTeamDocument = new TypedDocumentString(`
    mutation RenameTeam($id: String!, $set: team_set_input!, $where: team_bool_exp!) {
  update_team(where: {id: {_eq: $id}, _and: [$where]}, _set: $set) {
    affected_rows
  }
}
    `) as unknown as TypedDocumentString<RenameTeamMutation, RenameTeamMutationVariables>;
export const DeleteTeamDocument = new TypedDocumentString(`
    mutation DeleteTeam($team_id: String!) {
  delete_team(team_id: $team_id) {
    success
  }
}
    `) as unknown as TypedDocumentString<DeleteTeamMutation, DeleteTeamMutationVariables>;
export const AccountDocument = new TypedDocumentString(`
    query Account {
  login(limit: 1) {
    user {
      id
      name
      email
      email_verified_at
    }
  }
}
    `) as unknown as TypedDocumentString<AccountQuery, AccountQueryVariables>;
export const MembershipsDocument = new TypedDocumentString(`
    query Memberships {
  login(limit: 1) {
    user {
      memberships(order_by: {created_at: asc}) {
        id
        role
        team {
          id
          name
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<MembershipsQuery, MembershipsQueryVariables>;
export const ActionChoicesDocument = new TypedDocumentString(`
    query ActionChoices($app_id: String!, $pattern: String!) {
  action(
    where: {app_id: {_eq: $app_id}, action: {_neq: ""}, _or: [{name: {_ilike: $pattern}}, {action: {_ilike: $pattern}}]}
    order_by: [{created_at: desc}, {id: desc}]
    limit: 20
  ) {
    action
    name
  }
}
    `) as unknown as TypedDocumentString<ActionChoicesQuery, ActionChoicesQueryVariables>;
export const ActionRulesDocument = new TypedDocumentString(`
    query ActionRules($app_id: String!, $action: String!) {
  action(where: {app_id: {_eq: $app_id}, action: {_eq: $action}}) {
    protocol
    credentials
  }
}
    `) as unknown as TypedDocumentString<ActionRulesQuery, ActionRulesQueryVariables>;
export const AppDocument = new TypedDocumentString(`
    query App($id: String!) {
  app_by_pk(id: $id) {
    id
    team_id
    name
    logo_url
    engine
    status
    is_staging
    is_archived
    is_verified
    created_at
    rp_id
    creates_actions
    request_keys(where: {is_active: {_eq: true}}) {
      address
      created_at
    }
  }
}
    `) as unknown as TypedDocumentString<AppQuery, AppQueryVariables>;
export const AppsDocument = new TypedDocumentString(`
    query Apps($where: app_bool_exp!, $limit: Int!) {
  app(where: $where, order_by: [{created_at: desc}, {id: desc}], limit: $limit) {
    id
    name
    is_staging
    is_archived
    created_at
  }
}
    `) as unknown as TypedDocumentString<AppsQuery, AppsQueryVariables>;
export const CreateRequestKeyDocument = new TypedDocumentString(`
    mutation CreateRequestKey($app_id: String!) {
  create_request_key(app_id: $app_id) {
    private_key
  }
}
    `) as unknown as TypedDocumentString<CreateRequestKeyMutation, CreateRequestKeyMutationVariables>;
export const RotateRequestKeyDocument = new TypedDocumentString(`
    mutation RotateRequestKey($app_id: String!) {
  rotate_request_key(app_id: $app_id) {
    private_key
  }
}
    `) as unknown as TypedDocumentString<RotateRequestKeyMutation, RotateRequestKeyMutationVariables>;
export const TeamDocument = new TypedDocumentString(`
    query Team($team_id: String!) {
  team_by_pk(id: $team_id) {
    id
    name
    blocked_at
  }
  login(limit: 1) {
    user {
      memberships(where: {team_id: {_eq: $team_id}}) {
        role
      }
    }
  }
}
    `) as unknown as TypedDocumentString<TeamQuery, TeamQueryVariables>;