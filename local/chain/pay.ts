import { encodeFunctionData, type Hex, isAddress, parseEther } from 'viem'
import { z } from 'zod'
import { firstIssue } from '../../lib/runtime/parse-in-words.ts'
import { abi } from './abi.ts'
import { deployChain } from './deploy.ts'
import { connectLocalChain, sendAsOwner, sendFrom } from './local-chain.ts'

/** The tokens of the local chain, by their names in the API. The factor converts the API's 6 decimals to the token's decimals. */
const TOKENS = {
  USDCE: { contract: 'usdce', factor: 1n },
  WLD: { contract: 'wld', factor: 10n ** 12n },
} as const

const TOKEN_NAMES = ['USDCE', 'WLD'] as const

/** Creates the schema of an address, in any case. The result is in lower case, as the API's addresses are. */
function addressSchema() {
  return z
    .custom<string>(
      (value) =>
        typeof value === 'string' && isAddress(value, { strict: false }) && BigInt(value) > 0n,
      {
        error: ({ input }) =>
          `must be 0x and 40 hex digits, not all zero; got ${input ?? 'nothing'}`,
      },
    )
    .transform((text): Hex => `0x${text.slice(2).toLowerCase()}`)
}

function describeAmount({ input }: { input?: unknown }): string {
  const text = typeof input === 'string' ? input : (JSON.stringify(input) ?? 'nothing')
  return `must be a text of digits, a whole number from 1 with 6 decimals (1500000 is 1.5); got ${text}`
}

/** A payment to make. */
export const Payment = z.strictObject({
  /** The receiver. */
  to: addressSchema(),
  token: z.enum(TOKEN_NAMES, {
    error: ({ input }) => `must be ${TOKEN_NAMES.join(' or ')}; got ${input ?? 'nothing'}`,
  }),
  /** As `token_amount` in the API: an integer with 6 decimals, for both tokens. At most 30 digits. */
  amount: z.string({ error: describeAmount }).regex(/^[1-9]\d{0,29}$/, { error: describeAmount }),
  /** The wallet that pays; by default a wallet of the local chain. */
  from: addressSchema().default('0x70997970c51812dc3a010c7d01b50e0d17dc79c8'),
})

/** Describes the first mistake in a payment, for example "amount must be …". */
export function describeMistake(error: z.ZodError): string {
  const { path, message } = firstIssue(error)
  return [path.join('.'), message].filter(Boolean).join(' ')
}

/** A mined payment. The fields are named as in the API, to record the payment with `insert_transaction_one`. */
export type MinedPayment = {
  transaction_hash: Hex
  chain: 'local'
  token: (typeof TOKEN_NAMES)[number]
  token_amount: string
  from: Hex
  to: Hex
}

/** Below this balance, the paying wallet gets coins for gas. */
const MIN_BALANCE = parseEther('1')

/**
 * Pays tokens on the local chain, and waits until the payment is mined. The paying wallet gets the tokens and the coins for gas
 * first, so any address can pay.
 *
 * @throws Error with a message for the user at the terminal if the chain cannot be reached
 */
export async function payTokens(
  rpcUrl: string,
  { to, token, amount, from }: z.output<typeof Payment>,
): Promise<MinedPayment> {
  const chain = await connectLocalChain(rpcUrl)
  const { tokens } = await deployChain(rpcUrl)
  const { contract, factor } = TOKENS[token]
  const units = BigInt(amount) * factor
  const mint = encodeFunctionData({ abi: abi.token, functionName: 'mint', args: [from, units] })
  const data = encodeFunctionData({ abi: abi.token, functionName: 'transfer', args: [to, units] })
  if ((await chain.getBalance({ address: from })) < MIN_BALANCE)
    await chain.setBalance({ address: from, value: MIN_BALANCE * 10n })
  await chain.impersonateAccount({ address: from })
  await sendAsOwner(chain, tokens[contract], mint)
  const hash = await sendFrom(chain, from, { to: tokens[contract], data })
  return { transaction_hash: hash, chain: 'local', token, token_amount: amount, from, to }
}
