/** A kind of authorization request: its response type, and true if the response is posted by a form. */
export type Flow = { responseType: string; formPost: boolean }

/** The response types with which the suite runs the modules of each profile. */
const RESPONSE_TYPES = new Map([
  ['Basic', ['code']],
  ['Implicit', ['id_token', 'id_token token']],
  ['Hybrid', ['code id_token', 'code token', 'code id_token token']],
  ['Config', ['code']],
  ['Dynamic', ['code']],
])

/** The profiles that the suite also runs with `response_mode=form_post`. */
const ALSO_BY_FORM = new Set(['Basic', 'Implicit', 'Hybrid'])

/** Returns the flows of the given profiles without duplicates. */
export function flowsOf(profiles: readonly string[]): Flow[] {
  const flows = profiles.flatMap((profile) =>
    (RESPONSE_TYPES.get(profile) ?? []).flatMap((responseType) => [
      { responseType, formPost: false },
      ...(ALSO_BY_FORM.has(profile) ? [{ responseType, formPost: true }] : []),
    ]),
  )
  return [...new Map(flows.map((flow) => [nameOf(flow), flow])).values()]
}

export function nameOf({ responseType, formPost }: Flow): string {
  return formPost ? `${responseType} by form_post` : responseType
}

/** True if the browser brings a code, which is redeemed at `/token`. */
export const hasCode = ({ responseType }: Flow) => wordsOf(responseType).has('code')

/** True if the browser brings an id_token. */
export const hasIdToken = ({ responseType }: Flow) => wordsOf(responseType).has('id_token')

/** True if the browser brings an access token. */
export const hasToken = ({ responseType }: Flow) => wordsOf(responseType).has('token')

/** True if the relying party gets an access token, from the browser or from `/token`. */
export const getsAccessToken = (flow: Flow) => hasCode(flow) || hasToken(flow)

function wordsOf(responseType: string): Set<string> {
  return new Set(responseType.split(' '))
}
