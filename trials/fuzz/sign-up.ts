import { z } from 'zod'

const SignedUp = z.object({ token: z.string() })

let accounts = 0

/** The token of a new account, which has not verified its address. */
export async function signUpSomebody(baseUrl: string): Promise<string> {
  accounts += 1
  const email = `somebody-${process.pid}-${Date.now()}-${accounts}@example.com`
  const response = await fetch(`${baseUrl}/api/v1/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'difference', name: 'New', team_name: 'New' }),
  })
  return SignedUp.parse(await response.json()).token
}
