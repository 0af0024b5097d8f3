import { developmentKey } from '../../../../local/simulator/development-key/development-key.ts'
import { createProver } from '../../../../local/simulator/prove.ts'
import { proveForPerson } from '../../../../local/simulator/prove-for-person.ts'
import type { Facts } from '../../facts.ts'
import { signInPerson } from '../../testing/sign-in.ts'

/**
 * Signs a simulated person in to the demo website. Prints the requests, and the claims that the website gets. The website
 * uses openid-client.
 *
 * @throws Error if the website does not sign the person in
 */
export async function signIn(
  { authUrl, demoUrl, rpcUrl }: Pick<Facts, 'authUrl' | 'demoUrl' | 'rpcUrl'>,
  person: string,
): Promise<void> {
  const tools = { rpcUrl, prove: createProver(await developmentKey()) }
  const { page } = await signInPerson(`${demoUrl}/sign-in`, {
    authUrl,
    prove: ({ app_id: appId, signal_hash }) =>
      proveForPerson(person, { appId, action: '', signalHash: BigInt(signal_hash) }, tools),
    onRequest: (method, url) => console.info(`   ${method} ${url.slice(0, 90)}`),
  })
  if (!page?.body.includes('You are signed in'))
    throw new Error('The website did not sign the person in.')
  for (const [, name, value = ''] of page.body.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g))
    console.info(`   ${name}: ${value.replaceAll('&#34;', '"')}`)
}
