/** The bridge cannot be reached, or does not answer as a bridge would. */
export class BridgeUnavailable extends Error {}

/** The bridge has forgotten the request, which it keeps for some minutes. */
export class RequestGone extends BridgeUnavailable {}

type Wallet = { bridgeUrl: string; linkUrl: string }

type Waiting = {
  /** Called when a wallet has taken the request, perhaps more than once. */
  onSeen: () => void
  signal: AbortSignal
}

/** A request that waits at the bridge. */
type ProofRequest = {
  /** Opens a wallet with it. */
  link: string
  /** Waits for what the wallet answers, in whatever form. */
  answer(waiting: Waiting): Promise<unknown>
}

/** Leaves a request for a wallet at the bridge; see bridge.js. */
export function requestProof(wallet: Wallet, question: object): Promise<ProofRequest>

/** Waits again for the answer to the request of a link; see bridge.js. */
export function resumeProof(wallet: Pick<Wallet, 'bridgeUrl'>, link: string): Promise<ProofRequest>
