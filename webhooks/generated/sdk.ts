/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import { type GraphQLClient, type RequestOptions } from 'graphql-request';
import { gql } from 'graphql-request';
type GraphQLClientRequestHeaders = RequestOptions['requestHeaders'];
export type AuthHookUserQueryVariables = Exact<{
  id: string;
}>;


export type AuthHookUserQuery = { user_by_pk: { email_verified_at: string | null } | null };

export type AuthHookQueryVariables = Exact<{
  id: string;
}>;


export type AuthHookQuery = { api_key_by_pk: { team_id: string, secret_hash: string, is_active: boolean } | null };

export type GroupAddressQueryVariables = Exact<{
  name: string;
}>;


export type GroupAddressQuery = { cache_by_pk: { value: string } | null };

export type LoginQueryVariables = Exact<{
  email: string;
}>;


export type LoginQuery = { user: Array<{ id: string, password_hash: string, email_verified_at: string | null }> };

export type RecordNullifierMutationVariables = Exact<{
  action_id: string;
  nullifier_hash: string;
}>;


export type RecordNullifierMutation = { record_nullifier: Array<{ nullifier_hash: string, uses: number, created_at: string }> };

export type SignupMutationVariables = Exact<{
  email: string;
  password_hash: string;
  name: string;
  team_name: string;
}>;


export type SignupMutation = { signup: Array<{ id: string }> };

export type StoreGroupAddressMutationVariables = Exact<{
  name: string;
  address: string;
}>;


export type StoreGroupAddressMutation = { insert_cache_one: { key: string } | null };

export type VerifyQueryVariables = Exact<{
  app_id: string;
  action: string;
  nullifier_hash: string;
}>;


export type VerifyQuery = { app: Array<{ engine: string, is_staging: boolean, actions: Array<{ id: string, status: string, max_verifications: number, nullifiers: Array<{ uses: number }> }> }> };


export const AuthHookUserDocument = gql`
    query AuthHookUser($id: String!) {
  user_by_pk(id: $id) {
    email_verified_at
  }
}
    `;
export const AuthHookDocument = gql`
    query AuthHook($id: String!) {
  api_key_by_pk(id: $id) {
    team_id
    secret_hash
    is_active
  }
}
    `;
export const GroupAddressDocument = gql`
    query GroupAddress($name: String!) {
  cache_by_pk(key: $name) {
    value
  }
}
    `;
export const LoginDocument = gql`
    query Login($email: String!) {
  user(where: {email: {_eq: $email}}) {
    id
    password_hash
    email_verified_at
  }
}
    `;
export const RecordNullifierDocument = gql`
    mutation RecordNullifier($action_id: String!, $nullifier_hash: String!) {
  record_nullifier(args: {action_id: $action_id, nullifier_hash: $nullifier_hash}) {
    nullifier_hash
    uses
    created_at
  }
}
    `;
export const SignupDocument = gql`
    mutation Signup($email: String!, $password_hash: String!, $name: String!, $team_name: String!) {
  signup(
    args: {email: $email, password_hash: $password_hash, name: $name, team_name: $team_name}
  ) {
    id
  }
}
    `;
export const StoreGroupAddressDocument = gql`
    mutation StoreGroupAddress($name: String!, $address: String!) {
  insert_cache_one(
    object: {key: $name, value: $address}
    on_conflict: {constraint: cache_pkey, update_columns: [value]}
  ) {
    key
  }
}
    `;
export const VerifyDocument = gql`
    query Verify($app_id: String!, $action: String!, $nullifier_hash: String!) {
  app(
    where: {id: {_eq: $app_id}, status: {_eq: "active"}, is_archived: {_eq: false}}
  ) {
    engine
    is_staging
    actions(where: {action: {_eq: $action}}) {
      id
      status
      max_verifications
      nullifiers(where: {nullifier_hash: {_eq: $nullifier_hash}}) {
        uses
      }
    }
  }
}
    `;

export type SdkFunctionWrapper = <T>(action: (requestHeaders?:Record<string, string>) => Promise<T>, operationName: string, operationType?: string, variables?: any) => Promise<T>;


const defaultWrapper: SdkFunctionWrapper = (action, _operationName, _operationType, _variables) => action();

export function getSdk(client: GraphQLClient, withWrapper: SdkFunctionWrapper = defaultWrapper) {
  return {
    AuthHookUser(variables: AuthHookUserQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<AuthHookUserQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<AuthHookUserQuery>({ document: AuthHookUserDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'AuthHookUser', 'query', variables);
    },
    AuthHook(variables: AuthHookQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<AuthHookQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<AuthHookQuery>({ document: AuthHookDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'AuthHook', 'query', variables);
    },
    GroupAddress(variables: GroupAddressQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<GroupAddressQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<GroupAddressQuery>({ document: GroupAddressDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'GroupAddress', 'query', variables);
    },
    Login(variables: LoginQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<LoginQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<LoginQuery>({ document: LoginDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'Login', 'query', variables);
    },
    RecordNullifier(variables: RecordNullifierMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<RecordNullifierMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<RecordNullifierMutation>({ document: RecordNullifierDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'RecordNullifier', 'mutation', variables);
    },
    Signup(variables: SignupMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<SignupMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<SignupMutation>({ document: SignupDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'Signup', 'mutation', variables);
    },
    StoreGroupAddress(variables: StoreGroupAddressMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<StoreGroupAddressMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<StoreGroupAddressMutation>({ document: StoreGroupAddressDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'StoreGroupAddress', 'mutation', variables);
    },
    Verify(variables: VerifyQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<VerifyQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<VerifyQuery>({ document: VerifyDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'Verify', 'query', variables);
    }
  };
}
export type Sdk = ReturnType<typeof getSdk>;