import { BaseError, createClient, type Hex, http, isAddress, parseAbi } from 'viem'
import { getEnsAddress, readContract } from 'viem/actions'

/** The address of the universal resolver, on the public chain and on the local one. */
export const UNIVERSAL_RESOLVER = '0xeeeeeeee14d718c2b47d9923deab1335e144eeee'

/** What a group's contract knows about a root. `supersededAt` is in Unix seconds; null for the latest. */
export type RootRecord = { known: false } | { known: true; supersededAt: number | null }

export type GroupContract = {
  /** The address that a normalised name stands for, or null when it stands for none. */
  resolve(name: string): Promise<string | null>
  /** What the contract at `address` knows about `root`. */
  queryRoot(address: string, root: bigint): Promise<RootRecord>
}

type Options = {
  rpcUrl: string
  /** For one attempt, until the last byte of its answer. There are at most two. */
  timeoutMs: number
  universalResolver?: string
}

/** The chain gave no usable answer: it is down, too slow, or answers what the contract never would. */
export class ChainUnavailable extends Error {
  override readonly name = 'ChainUnavailable'
}

/**
 * Reads the name service and the groups' contracts.
 *
 * Both functions throw ChainUnavailable, after one more attempt.
 */
export function groupContract(options: Options): GroupContract {
  const client = chainClient(options)
  const universalResolverAddress = parseAddress(options.universalResolver ?? UNIVERSAL_RESOLVER)
  return {
    resolve: (name) =>
      attemptTwice(() => getEnsAddress(client, { name, universalResolverAddress })),
    queryRoot: (address, root) =>
      attemptTwice(async () => {
        const contract = { address: parseAddress(address), abi, functionName: 'queryRoot' } as const
        return toRecord(root, await readContract(client, { ...contract, args: [root] }))
      }),
  }
}

const abi = parseAbi(['function queryRoot(uint256) view returns (uint256, uint128, bool)'])

function chainClient({ rpcUrl, timeoutMs }: Options) {
  return createClient({
    // A resolver could otherwise send this server to URLs of its own choice.
    ccipRead: false,
    transport: http(rpcUrl, {
      // Lookups that come together share a request: an eighth of the work under load, a bounded number of
      // connections, and 1 ms more for a lookup that comes alone.
      batch: { batchSize: 100 },
      // viem's own retries wait for as long as a Retry-After header says.
      retryCount: 0,
      // viem's own time-out covers only the headers; the body may then never come.
      timeout: 0,
      fetchFn: async (url, init) => {
        const signal = AbortSignal.timeout(timeoutMs)
        return requireAnswers(init?.body, await fetch(url, { ...init, signal }))
      },
    }),
  })
}

/**
 * viem tells the answers of a batch apart by their order alone. If one is missing, each caller after it
 * would get its neighbour's, and a person with a good root could hear that it is unknown.
 */
async function requireAnswers(calls: unknown, response: Response): Promise<Response> {
  if (!response.ok) return response
  const text = await response.text()
  if (idsIn(text) !== idsIn(String(calls))) throw new NotAnAnswer('Not every call was answered.')
  return new Response(text, response)
}

function idsIn(batch: string): string {
  const messages: { id: unknown }[] = [JSON.parse(batch)].flat()
  return messages
    .map(({ id }) => String(id))
    .sort()
    .join()
}

/** The usual reason for a second attempt is a kept connection that the other side has just closed. */
async function attemptTwice<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  return ask()
    .catch(ask)
    .catch((fault: unknown) => {
      // Without a cause: the text of viem's errors has the RPC URL, which often holds a key.
      throw new ChainUnavailable(reason(fault))
    })
}

function reason(fault: unknown): string {
  if (fault instanceof NotAnAnswer) return fault.message
  return fault instanceof BaseError ? fault.shortMessage : 'The chain could not be asked.'
}

class NotAnAnswer extends Error {}

function parseAddress(text: string): Hex {
  if (!isAddress(text, { strict: false })) throw new NotAnAnswer(`${text} is not an address.`)
  return text
}

type Answer = readonly [root: bigint, supersededAt: bigint, isValid: boolean]

/** Ignores whether the contract still calls a superseded root valid: we decide how old is too old. */
function toRecord(asked: bigint, [root, supersededAt, isValid]: Answer): RootRecord {
  if (root === 0n && supersededAt === 0n && !isValid) return { known: false }
  if (root !== asked) throw new NotAnAnswer('The contract answered about another root.')
  if (supersededAt > 0n) return { known: true, supersededAt: Number(supersededAt) }
  if (!isValid) throw new NotAnAnswer('The contract called its latest root invalid.')
  return { known: true, supersededAt: null }
}
