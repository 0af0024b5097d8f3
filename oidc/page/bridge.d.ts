/** An error: the bridge cannot be reached, or does not respond according to its protocol. */
export class BridgeUnavailable extends Error {}

/** An error: the bridge has dropped the request. The bridge keeps a request for some minutes. */
export class RequestGone extends BridgeUnavailable {}

type Wallet = { bridgeUrl: string; linkUrl: string }

type AnswerOptions = {
  /** Called after a wallet has fetched the request, perhaps several times. */
  onSeen: () => void
  signal: AbortSignal
}

/** A request at the bridge. */
type ProofRequest = {
  /** The link that opens a wallet with the request. */
  link: string
  /** Waits for the wallet's response, which is not validated. */
  answer(options: AnswerOptions): Promise<unknown>
}

/** Posts a request for a wallet to the bridge; see bridge.js. */
export function requestProof(wallet: Wallet, question: object): Promise<ProofRequest>

/** Resumes the request of a link; see bridge.js. */
export function resumeProof(wallet: Pick<Wallet, 'bridgeUrl'>, link: string): Promise<ProofRequest>
