/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import { type GraphQLClient, type RequestOptions } from 'graphql-request';
import { gql } from 'graphql-request';
type GraphQLClientRequestHeaders = RequestOptions['requestHeaders'];
export type RecordNullifierMutationVariables = Exact<{
  action_id: string;
  nullifier_hash: string;
}>;


export type RecordNullifierMutation = { record_nullifier: Array<{ nullifier_hash: string, uses: number, created_at: string }> };

export type VerifyQueryVariables = Exact<{
  app_id: string;
  action: string;
  nullifier_hash: string;
}>;


export type VerifyQuery = { app: Array<{ engine: string, is_staging: boolean, actions: Array<{ id: string, status: string, max_verifications: number, nullifiers: Array<{ uses: number }> }> }> };


export const RecordNullifierDocument = gql`
    mutation RecordNullifier($action_id: String!, $nullifier_hash: String!) {
  record_nullifier(args: {action_id: $action_id, nullifier_hash: $nullifier_hash}) {
    nullifier_hash
    uses
    created_at
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
    RecordNullifier(variables: RecordNullifierMutationVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<RecordNullifierMutation> {
      return withWrapper((wrappedRequestHeaders) => client.request<RecordNullifierMutation>({ document: RecordNullifierDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'RecordNullifier', 'mutation', variables);
    },
    Verify(variables: VerifyQueryVariables, requestHeaders?: GraphQLClientRequestHeaders, signal?: RequestInit['signal']): Promise<VerifyQuery> {
      return withWrapper((wrappedRequestHeaders) => client.request<VerifyQuery>({ document: VerifyDocument, variables, requestHeaders: { ...requestHeaders, ...wrappedRequestHeaders }, signal }), 'Verify', 'query', variables);
    }
  };
}
export type Sdk = ReturnType<typeof getSdk>;