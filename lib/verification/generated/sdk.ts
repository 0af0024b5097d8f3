/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import { type GraphQLClient, type RequestOptions } from 'graphql-request';
import { gql } from 'graphql-request';
type GraphQLClientRequestHeaders = RequestOptions['requestHeaders'];
export type Cache_Insert_Input = {
  key?: string | null | undefined;
  value?: string | null | undefined;
};

export type RecordNullifiersMutationVariables = Exact<{
  verifications: unknown;
  waits: boolean;
}>;


export type RecordNullifiersMutation = { record_nullifiers: Array<{ action_id: string, nullifier_hash: string, uses: number, created_at: string }> };

export type RecordRequestsMutationVariables = Exact<{
  requests: unknown;
  waits: boolean;
}>;


export type RecordRequestsMutation = { record_requests: Array<{ app_id: string, key_hash: string, fingerprint: string, nullifier_hash: string, uses: number, max_uses: number, verified_at: string, token_id: string, verification_level: string | null, outcomes: unknown, created_at: string }> };

export type GroupAddressQueryVariables = Exact<{
  name: string;
}>;


export type GroupAddressQuery = { cache_by_pk: { value: string } | null };

export type StoreGroupAddressesMutationVariables = Exact<{
  addresses: Array<Cache_Insert_Input> | Cache_Insert_Input;
}>;


export type StoreGroupAddressesMutation = { insert_cache: { affected_rows: number } | null };


export const RecordNullifiersDocument = gql`
    mutation RecordNullifiers($verifications: jsonb!, $waits: Boolean!) {
  record_nullifiers(args: {verifications: $verifications, waits: $waits}) {
    action_id
    nullifier_hash
    uses
    created_at
  }
}
    `;
export const RecordRequestsDocument = gql`
    mutation RecordRequests($requests: jsonb!, $waits: Boolean!) {
  record_requests(args: {requests: $requests, waits: $waits}) {
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
}
    `;
export const GroupAddressDocument = gql`
    query GroupAddress($name: String!) {
  cache_by_pk(key: $name) {
    value
  }
}
    `;
export const StoreGroupAddressesDocument = gql`
    mutation StoreGroupAddresses($addresses: [cache_insert_input!]!) {
  insert_cache(
    objects: $addresses
    on_conflict: {constraint: cache_pkey, update_columns: [value]}
  ) {
    affected_rows
  }
}
    `;

export type SdkFunctionWrapper = <T>(action: (requestHeaders?:Record<string, string>) => Promise<T>, operationName: string, operationType?: string, variables?: any) => Promise<T>;


const defaultWrapper: SdkFunctionWrapper = (action, _operationName, _operationType, _variables) => action();

export function getSdk(client: GraphQLClient, withWrapper: SdkFunctionWrapper = defaultWrapper) {
  return {
    RecordNullifiers(variables: RecordNullifiersMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<RecordNullifiersMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<RecordNullifiersMutation>({ document: RecordNullifiersDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'RecordNullifiers', 'mutation', variables);
    },
    RecordRequests(variables: RecordRequestsMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<RecordRequestsMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<RecordRequestsMutation>({ document: RecordRequestsDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'RecordRequests', 'mutation', variables);
    },
    GroupAddress(variables: GroupAddressQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<GroupAddressQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<GroupAddressQuery>({ document: GroupAddressDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'GroupAddress', 'query', variables);
    },
    StoreGroupAddresses(variables: StoreGroupAddressesMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<StoreGroupAddressesMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<StoreGroupAddressesMutation>({ document: StoreGroupAddressesDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'StoreGroupAddresses', 'mutation', variables);
    }
  };
}
export type Sdk = ReturnType<typeof getSdk>;