/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import { type GraphQLClient, type RequestOptions } from 'graphql-request';
import { gql } from 'graphql-request';
type GraphQLClientRequestHeaders = RequestOptions['requestHeaders'];
export type Jwks_Insert_Input = {
  expires_at?: string | null | undefined;
  id?: string | null | undefined;
  private_jwk_encrypted?: string | null | undefined;
  public_jwk?: unknown;
  use?: string | null | undefined;
};

export type AppsQueryVariables = Exact<{
  ids: Array<string> | string;
}>;


export type AppsQuery = { app: Array<{ id: string, name: string, logo_url: string, engine: string, is_staging: boolean, is_verified: boolean, redirects: Array<{ redirect_uri: string }>, sign_in_client: { secret_hash: string | null, is_public: boolean, response_types: unknown } | null, actions: Array<{ id: string, status: string }> }> };

export type RemoveUnusedClientsMutationVariables = Exact<{
  limit: number;
}>;


export type RemoveUnusedClientsMutation = { remove_unused_clients: Array<{ app_id: string }> };

export type CountHitsMutationVariables = Exact<{
  counted: unknown;
}>;


export type CountHitsMutation = { count_hits: Array<{ key: string, ends_at: string, hits: number }> };

export type RegisterClientMutationVariables = Exact<{
  client_name: string;
  redirect_uris: unknown;
  application_type: string;
  response_types: unknown;
  secret_hash?: string | null | undefined;
  registration_token_hash: string;
  token_endpoint_auth_method: string;
}>;


export type RegisterClientMutation = { register_client: Array<{ app_id: string, registered_at: string | null }> };

export type RegisteredClientQueryVariables = Exact<{
  id: string;
  token_hash: string;
}>;


export type RegisteredClientQuery = { sign_in_client: Array<{ application_type: string, response_types: unknown, token_endpoint_auth_method: string, registered_at: string | null, app: { name: string, redirects: Array<{ redirect_uri: string }> } }> };

export type SigningKeysQueryVariables = Exact<{
  now: string;
}>;


export type SigningKeysQuery = { jwks: Array<{ id: string, private_jwk_encrypted: string, created_at: string, expires_at: string }> };

export type StoreSigningKeyMutationVariables = Exact<{
  key: Jwks_Insert_Input;
}>;


export type StoreSigningKeyMutation = { insert_jwks_one: { id: string } | null };

export type RecordRefusedRequestsMutationVariables = Exact<{
  refused: unknown;
}>;


export type RecordRefusedRequestsMutation = { record_refused_requests: Array<{ id: string }> };


export const AppsDocument = gql`
    query Apps($ids: [String!]!) {
  app(
    where: {id: {_in: $ids}, status: {_eq: "active"}, is_archived: {_eq: false}}
  ) {
    id
    name
    logo_url
    engine
    is_staging
    is_verified
    redirects {
      redirect_uri
    }
    sign_in_client {
      secret_hash
      is_public
      response_types
    }
    actions(where: {action: {_eq: ""}}) {
      id
      status
    }
  }
}
    `;
export const RemoveUnusedClientsDocument = gql`
    mutation RemoveUnusedClients($limit: Int!) {
  remove_unused_clients(limit: $limit) {
    app_id
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
export const RegisterClientDocument = gql`
    mutation RegisterClient($client_name: String!, $redirect_uris: jsonb!, $application_type: String!, $response_types: jsonb!, $secret_hash: String, $registration_token_hash: String!, $token_endpoint_auth_method: String!) {
  register_client(
    args: {client_name: $client_name, redirect_uris: $redirect_uris, application_type: $application_type, response_types: $response_types, secret_hash: $secret_hash, registration_token_hash: $registration_token_hash, token_endpoint_auth_method: $token_endpoint_auth_method}
  ) {
    app_id
    registered_at
  }
}
    `;
export const RegisteredClientDocument = gql`
    query RegisteredClient($id: String!, $token_hash: String!) {
  sign_in_client(
    where: {app_id: {_eq: $id}, registration_token_hash: {_eq: $token_hash}, app: {is_archived: {_eq: false}}}
  ) {
    application_type
    response_types
    token_endpoint_auth_method
    registered_at
    app {
      name
      redirects(order_by: [{redirect_uri: asc}]) {
        redirect_uri
      }
    }
  }
}
    `;
export const SigningKeysDocument = gql`
    query SigningKeys($now: timestamptz!) {
  jwks(
    where: {use: {_eq: "sign-in"}, expires_at: {_gt: $now}}
    order_by: [{created_at: desc}, {id: desc}]
  ) {
    id
    private_jwk_encrypted
    created_at
    expires_at
  }
}
    `;
export const StoreSigningKeyDocument = gql`
    mutation StoreSigningKey($key: jwks_insert_input!) {
  insert_jwks_one(object: $key) {
    id
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

export type SdkFunctionWrapper = <T>(action: (requestHeaders?:Record<string, string>) => Promise<T>, operationName: string, operationType?: string, variables?: any) => Promise<T>;


const defaultWrapper: SdkFunctionWrapper = (action, _operationName, _operationType, _variables) => action();

export function getSdk(client: GraphQLClient, withWrapper: SdkFunctionWrapper = defaultWrapper) {
  return {
    Apps(variables: AppsQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<AppsQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<AppsQuery>({ document: AppsDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'Apps', 'query', variables);
    },
    RemoveUnusedClients(variables: RemoveUnusedClientsMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<RemoveUnusedClientsMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<RemoveUnusedClientsMutation>({ document: RemoveUnusedClientsDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'RemoveUnusedClients', 'mutation', variables);
    },
    CountHits(variables: CountHitsMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<CountHitsMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<CountHitsMutation>({ document: CountHitsDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'CountHits', 'mutation', variables);
    },
    RegisterClient(variables: RegisterClientMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<RegisterClientMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<RegisterClientMutation>({ document: RegisterClientDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'RegisterClient', 'mutation', variables);
    },
    RegisteredClient(variables: RegisteredClientQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<RegisteredClientQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<RegisteredClientQuery>({ document: RegisteredClientDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'RegisteredClient', 'query', variables);
    },
    SigningKeys(variables: SigningKeysQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<SigningKeysQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<SigningKeysQuery>({ document: SigningKeysDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'SigningKeys', 'query', variables);
    },
    StoreSigningKey(variables: StoreSigningKeyMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<StoreSigningKeyMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<StoreSigningKeyMutation>({ document: StoreSigningKeyDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'StoreSigningKey', 'mutation', variables);
    },
    RecordRefusedRequests(variables: RecordRefusedRequestsMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<RecordRefusedRequestsMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<RecordRefusedRequestsMutation>({ document: RecordRefusedRequestsDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'RecordRefusedRequests', 'mutation', variables);
    }
  };
}
export type Sdk = ReturnType<typeof getSdk>;