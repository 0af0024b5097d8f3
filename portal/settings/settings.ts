/** What the server has written into the page about the platform, as `<meta>` elements. */
export const settings = {
  /** The sign-in server. */
  authUrl: metaContent('auth-url'),
  /** Where requests to wallets are left, and what a wallet's link begins with. */
  bridgeUrl: metaContent('bridge-url'),
  walletLinkUrl: metaContent('wallet-link-url'),
  /** The wallet of simulated people; empty where there is none. */
  simulatorUrl: metaContent('simulator-url'),
  /** A page about what runs on this machine; empty where the platform is not for developing. */
  localUrl: metaContent('local-url'),
}

/** The nonce that lets styles into the page, which its Content-Security-Policy names. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''
}

function metaContent(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
}
