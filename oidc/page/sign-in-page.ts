import { type Html, html, isolateBidi, jsonForScript } from '../../lib/design/html.ts'
import type { VerificationLevel } from '../../lib/proof/verification-level.ts'
import type { RenderedPage } from '../../lib/runtime/http/error-answer.ts'
import { renderDocument } from './document.ts'
import { fillHtml, fillIn, type Language, type Texts, textsIn } from './texts.ts'

/** The addresses through which the page reaches wallets. */
export type Wallet = {
  /** The bridge that relays encrypted messages between the page and a wallet. */
  bridgeUrl: string
  /** The URL that opens a wallet. The page adds the request as query parameters. */
  linkUrl: string
  /** The wallet simulator, for staging apps; null if it is not configured. */
  simulatorUrl: string | null
}

type SignIn = {
  uid: string
  appId: string
  app: { name: string; logo_url: string; is_staging: boolean; is_verified: boolean }
  /** The host to which the person is about to sign in. */
  site: string
  /** The name of the text that says why sign-in to this app is impossible now; null if it is possible. */
  refusal: 'not_here' | 'switched_off' | null
  csrf: string
  signalHash: string
  /** The accepted verification levels, strongest first. */
  levels: readonly VerificationLevel[]
  wallet: Wallet
  language: Language
  /** The seconds until the sign-in expires. */
  secondsLeft: number
  /** The URL that starts the same sign-in again. */
  restartUrl: string
  /** The URL that returns to the app if the server cannot cancel the sign-in, for example after it has expired. */
  cancelUrl: string
}

/** Renders the page where a person signs in, with the data for its script. */
export function renderSignIn(signIn: SignIn): RenderedPage {
  const { app, refusal, wallet, language } = signIn
  const texts = textsIn(language)
  const logo = app.is_verified ? logoOf(app) : null
  const name = isolateBidi(app.name)
  return renderDocument({
    language,
    title: fillIn(texts.title, { app: app.name }),
    body: html`<main>
${logo && html`<img id="logo" src="${logo.href}" alt="" width="56" height="56" referrerpolicy="no-referrer">`}
<h1>${fillHtml(texts.title, { app: name })}</h1>
${renderPlace(signIn, texts)}
${refusal ? html`<p id="status" role="alert" class="problem">${fillHtml(texts[refusal])}</p>` : renderOffer(signIn, texts, name)}
<noscript><p role="alert" class="problem">${fillHtml(texts.no_script)}</p></noscript>
<p class="live"><button type="button" id="cancel" class="quiet">${fillHtml(texts.cancel)}</button></p>
</main>
<script type="application/json" id="facts">${jsonForScript({ ...pageFacts(signIn), texts })}</script>
<script type="module" src="/assets/sign-in.js"></script>`,
    connectSources: [new URL(wallet.bridgeUrl).origin],
    imageSources: logo ? [logo.origin] : [],
  })
}

/**
 * Returns the logo of a verified app. The operator has checked this logo, because an app with a changed logo is no
 * longer verified. An unverified app could show the logo of a bank.
 */
function logoOf({ logo_url }: SignIn['app']): URL | null {
  const url = URL.parse(logo_url)
  return url?.protocol === 'https:' ? url : null
}

/**
 * Renders the facts next to the app's name, because an app can have any name: the host, whether the operator has
 * verified the app, and whether it is being tested.
 */
function renderPlace({ site, app }: SignIn, texts: Texts): Html {
  const word = app.is_verified
    ? html`<p class="note verified"><span aria-hidden="true">✓</span> ${fillHtml(texts.verified)}</p>`
    : html`<p class="note caution">${fillHtml(texts.unverified)}</p>`
  return html`<div class="place">
<p>${fillHtml(texts.place, { site })}</p>
${word}
${app.is_staging ? html`<p class="note">${fillHtml(texts.testing)}</p>` : null}
</div>`
}

function renderOffer({ app, wallet }: SignIn, texts: Texts, name: string): Html {
  const hasSimulator = app.is_staging && wallet.simulatorUrl !== null
  return html`<p class="offer">${fillIn(texts.offer, { app: name })}</p>
<p id="status" role="status" aria-live="polite" class="live">${fillHtml(texts.getting_ready)}</p>
<div id="connect" hidden>
<details id="elsewhere" open>
<summary>${fillHtml(texts.other_device)}</summary>
<div id="code" role="img" aria-label="${fillHtml(texts.code)}"></div>
</details>
<p class="first"><a id="open" class="button" rel="noreferrer">${fillHtml(texts.open)}</a></p>
${hasSimulator ? html`<p><a id="simulate" class="button second" target="_blank" rel="noopener">${fillHtml(texts.simulator)}</a></p>` : null}
<p id="time" class="note" role="timer" aria-live="off"></p>
</div>
<p id="again" hidden><button type="button">${fillHtml(texts.again)}</button></p>`
}

/** The data for the page's script, sign-in.js. */
function pageFacts({ uid, app, refusal, wallet, language: _, ...facts }: SignIn) {
  const submitTo = `/login/${uid}`
  return { submitTo, appName: app.name, isRefused: refusal !== null, ...facts, ...wallet }
}
