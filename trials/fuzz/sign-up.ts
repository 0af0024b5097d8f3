import { z } from 'zod'

const SignUpResponse = z.object({ token: z.string() })

let accountCount = 0

/** Creates an account with an unverified address. Returns its token. */
export async function createAccount(baseUrl: string): Promise<string> {
  accountCount += 1
  const email = `account-${process.pid}-${Date.now()}-${accountCount}@example.com`
  const response = await fetch(`${baseUrl}/api/v1/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'difference', name: 'New', team_name: 'New' }),
  })
  return SignUpResponse.parse(await response.json()).token
}
