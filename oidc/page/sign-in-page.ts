import { escapeHtml, isolateBidi, type RenderedPage } from '../../lib/http/html.ts'
import type { VerificationLevel } from '../../proof/verification-level.ts'
import { renderDocument } from './document.ts'

/** How the page reaches people's wallets. */
export type Wallet = {
  /** Passes messages between the page and a wallet, both of which encrypt them. */
  bridgeUrl: string
  /** Opens a wallet; the request is added as query parameters. */
  linkUrl: string
  /** A wallet of simulated people, for staging apps; null if there is none. */
  simulatorUrl: string | null
}

type SignIn = {
  uid: string
  appId: string
  app: { name: string; logo_url: string; is_staging: boolean; is_verified: boolean }
  /** Where the person is about to sign in: a host. */
  site: string
  /** Why nobody can sign in to this app now; null if people can. */
  refusal: string | null
  csrf: string
  signalHash: string
  /** The verification levels that are accepted, the strongest first. */
  levels: readonly VerificationLevel[]
  wallet: Wallet
}

/** The page on which a person signs in, with the data that its script needs. */
export function renderSignIn(signIn: SignIn): RenderedPage {
  const { app, site, refusal, wallet } = signIn
  const name = escapeHtml(isolateBidi(app.name))
  return renderDocument({
    title: `Sign in to ${app.name}`,
    body: `<main>
<h1>Sign in to <strong>${name}</strong></h1>
${renderPlace(site, app.is_verified)}
${refusal ? renderRefusal(refusal) : renderOffer(name, app.is_staging && wallet.simulatorUrl !== null)}
<noscript><p role="alert" class="problem">This page needs JavaScript to reach your wallet. Switch JavaScript on and reload the page, or go back.</p></noscript>
<p class="live"><button type="button" id="cancel" class="quiet">Cancel and go back</button></p>
</main>
<script type="application/json" id="facts">${scriptData(pageFacts(signIn))}</script>
<script type="module" src="/assets/sign-in.js"></script>`,
    connectTo: [new URL(wallet.bridgeUrl).origin],
  })
}

/** Anybody may give an app any name; where the person goes on, and whether somebody looked at the name, are facts. */
function renderPlace(site: string, isVerified: boolean): string {
  const word = isVerified
    ? 'Verified by the people who run this service.'
    : 'Not verified: anybody may use this name. Go on only if you know the website.'
  return `<div class="place">
<p>at the website <strong>${escapeHtml(site)}</strong></p>
<p class="note${isVerified ? '' : ' caution'}">${word}</p>
</div>`
}

function renderRefusal(reason: string): string {
  return `<p id="status" role="alert" class="problem">${escapeHtml(reason)}</p>`
}

function renderOffer(name: string, hasSimulator: boolean): string {
  return `<p>Prove that you are a unique person. ${name} learns that, and a number that is yours there and nowhere else.</p>
<p id="status" role="status" aria-live="polite" class="live">Getting ready …</p>
<div id="connect" hidden>
<div id="code" role="img" aria-label="QR code to scan with your wallet on another device"></div>
<p><a id="open" class="button" rel="noreferrer">Open my wallet on this device</a></p>
${hasSimulator ? '<p><a id="simulate" class="button second" target="_blank" rel="noopener">Use the simulator</a></p><p class="note">This app is being tested: simulated people may sign in to it.</p>' : ''}
</div>
<p id="again" hidden><button type="button">Try again</button></p>`
}

/** The data for the page's script, sign-in.js. */
function pageFacts({ uid, appId, app, site, refusal, csrf, signalHash, levels, wallet }: SignIn) {
  return {
    submitTo: `/login/${uid}`,
    appId,
    appName: app.name,
    site,
    refused: refusal !== null,
    csrf,
    signalHash,
    levels,
    ...wallet,
  }
}

/** JSON that cannot close the script element that contains it. */
function scriptData(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
