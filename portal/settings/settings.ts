/** The settings that the server writes into the page as `<meta>` elements. */
export const settings = {
  /** The address of the sign-in server. */
  authUrl: metaContent('auth-url'),
  /** The address of the wallet bridge, which passes requests to wallets; and the beginning of the links that open a wallet. */
  bridgeUrl: metaContent('bridge-url'),
  walletLinkUrl: metaContent('wallet-link-url'),
  /** The address of the wallet of simulated people; empty if the platform has no simulated people. */
  simulatorUrl: metaContent('simulator-url'),
  /** The operator's guide for developers; empty if there is none. */
  guideUrl: metaContent('guide-url'),
  /** The page about the local platform; empty outside development. */
  localUrl: metaContent('local-url'),
  /** The page with the mail that a local platform has sent; empty if the platform sends real mail. */
  mailUrl: metaContent('mail-url'),
}

/** Returns the nonce for style elements in the page's Content-Security-Policy. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''
}

function metaContent(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
}
