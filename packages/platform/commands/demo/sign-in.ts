import { z } from 'zod'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import { developmentKey } from '../../../../local/simulator/development-key/development-key.ts'
import { createProver } from '../../../../local/simulator/prove.ts'
import { answerForPerson } from '../../../../local/simulator/wallet.ts'
import type { Facts } from '../../facts.ts'

/** The data that the sign-in page contains for its script. */
const PageFacts = z.object({
  csrf: z.string(),
  submitTo: z.string(),
  appId: z.string(),
  signalHash: z.string(),
})

const Answer = z.object({ redirect_to: z.string().optional(), detail: z.string().optional() })

/**
 * Signs a simulated person in to the demo website, as a browser and a wallet do. Prints the claims that the website gets. The
 * website uses openid-client.
 *
 * @throws Error if the website does not sign the person in
 */
export async function signIn(
  { authUrl, demoUrl, rpcUrl }: Pick<Facts, 'authUrl' | 'demoUrl' | 'rpcUrl'>,
  person: string,
): Promise<void> {
  const browser = new Browser()
  const page = await browser.visit(`${demoUrl}/sign-in`)
  const [, facts = ''] = requireValue(
    /id="facts">(.*?)<\/script>/.exec(page),
    'the data of the sign-in page',
  )
  const { csrf, submitTo, appId, signalHash } = PageFacts.parse(JSON.parse(facts))
  const proof = await answerForPerson(
    person,
    { app_id: appId, action: '', signal: signalHash },
    { rpcUrl, prove: createProver(await developmentKey()) },
  )
  const answer = await browser.send(new URL(submitTo, authUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ csrf, ...proof }),
  })
  const { redirect_to: returnUrl, detail } = Answer.parse(await answer.json())
  if (!returnUrl) throw new Error(`The sign-in server rejected the proof: ${detail}`)
  const end = await browser.visit(returnUrl)
  if (!end.includes('You are signed in')) throw new Error('The website did not sign the person in.')
  for (const [, name, value = ''] of end.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g))
    console.info(`   ${name}: ${value.replaceAll('&#34;', '"')}`)
}

/** A minimal browser: follows redirects, and keeps the cookies of all ports of localhost. */
class Browser {
  private readonly cookies = new Map<string, string>()

  async visit(address: string | URL): Promise<string> {
    const response = await this.send(address)
    const next = response.headers.get('location')
    return next ? this.visit(new URL(next, address)) : response.text()
  }

  async send(address: string | URL, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    console.info(`   ${init.method ?? 'GET'} ${String(address).slice(0, 90)}`)
    const headers = { accept: 'text/html', ...init.headers, cookie }
    const response = await fetch(address, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.cookies.set(name, value)
    }
    return response
  }
}
