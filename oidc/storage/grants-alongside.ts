import { type AdapterPayload, Provider } from 'oidc-provider'
import type { Found } from './round-trip.ts'

/**
 * Holds grants that were read together with their code, token or interaction, because the library asks
 * for the grant next, in the same request. A grant is held for that request only and given out once, so
 * nobody sees a grant that was revoked before the request began.
 */
export function grantsAlongside() {
  const grants = new WeakMap<object, { id: string; payload: AdapterPayload }>()
  return {
    keep({ grant_id: id, grant_payload: payload }: Found) {
      const request = Provider.ctx
      if (id && payload && request) grants.set(request, { id, payload })
    },
    take(id: string): AdapterPayload | undefined {
      const request = Provider.ctx
      const grant = request && grants.get(request)
      if (!grant || grant.id !== id) return undefined
      grants.delete(request)
      return { ...grant.payload, jti: id }
    },
  }
}
