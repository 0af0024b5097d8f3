import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { RESPONSE_TYPES } from '../../../oidc/clients/response-types.ts'
import { SignInClientDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useApp } from '../../team/current-app.tsx'

/** An app as a client of the sign-in server. A public client has no secret. */
export type Client = { isPublic: boolean; responseTypes: readonly string[] }

/** Reads the app's sign-in client. */
export function useSignInClient() {
  const { id: app_id } = useApp()
  return useQuery({
    queryKey: ['sign-in-client', app_id],
    queryFn: ({ signal }) => readClient(app_id, signal),
  })
}

/** Reads a sign-in client. An app without a row in `sign_in_client` has no secret yet, and may use all types. */
async function readClient(app_id: string, signal: AbortSignal): Promise<Client> {
  const { sign_in_client_by_pk: client } = await request(SignInClientDocument, { app_id }, signal)
  return {
    isPublic: client?.is_public ?? false,
    responseTypes: client ? z.array(z.string()).parse(client.response_types) : RESPONSE_TYPES,
  }
}
