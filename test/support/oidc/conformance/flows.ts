/** How a relying party asks: for what, and whether the answer is to come by a form. */
export type Flow = { responseType: string; formPost: boolean }

/** The response types with which the suite runs the modules of each of its profiles. */
const RESPONSE_TYPES = new Map([
  ['Basic', ['code']],
  ['Implicit', ['id_token', 'id_token token']],
  ['Hybrid', ['code id_token', 'code token', 'code id_token token']],
  ['Config', ['code']],
  ['Dynamic', ['code']],
])

/** Profiles that the suite runs a second time, with `response_mode=form_post`: its Form Post profiles. */
const ALSO_BY_FORM = new Set(['Basic', 'Implicit', 'Hybrid'])

/** The ways to ask of some profiles, each once. */
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

/** Whether the browser brings a code, and so whether there are tokens of `/token`. */
export const hasCode = ({ responseType }: Flow) => wordsOf(responseType).has('code')

/** Whether the browser brings an id_token. */
export const hasIdToken = ({ responseType }: Flow) => wordsOf(responseType).has('id_token')

/** Whether the browser brings an access token. */
export const hasToken = ({ responseType }: Flow) => wordsOf(responseType).has('token')

/** Whether the relying party gets an access token, from the browser or from `/token`. */
export const mayAskUserinfo = (flow: Flow) => hasCode(flow) || hasToken(flow)

function wordsOf(responseType: string): Set<string> {
  return new Set(responseType.split(' '))
}
