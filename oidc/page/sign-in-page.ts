import { type Html, html, isolateBidi, jsonForScript } from '../../lib/design/html.ts'
import type { VerificationLevel } from '../../lib/proof/verification-level.ts'
import type { RenderedPage } from '../../lib/runtime/http/error-answer.ts'
import { renderDocument } from './document.ts'
import { fillHtml, fillIn, type Language, type Texts, textsIn } from './texts.ts'

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
  /** The name of the text that says why nobody can sign in to this app now; null if people can. */
  refusal: 'not_here' | 'switched_off' | null
  csrf: string
  signalHash: string
  /** The verification levels that are accepted, the strongest first. */
  levels: readonly VerificationLevel[]
  wallet: Wallet
  language: Language
  /** For how many seconds the sign-in lasts. */
  secondsLeft: number
  /** Where the same sign-in begins anew. */
  restartAt: string
  /** Where the person goes on if this sign-in can't be cancelled any more, because it has ended. */
  leaveTo: string
}

/** The page on which a person signs in, with the data that its script needs. */
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
    connectTo: [new URL(wallet.bridgeUrl).origin],
    showFrom: logo ? [logo.origin] : [],
  })
}

/**
 * The operator has looked at the logo of a verified app: with another one it would not be verified any more. Anybody else
 * could use that of a bank.
 */
function logoOf({ logo_url }: SignIn['app']): URL | null {
  const url = URL.parse(logo_url)
  return url?.protocol === 'https:' ? url : null
}

/**
 * Anybody may give an app any name; where the person goes on, whether the operator has verified the app, and whether it
 * is being tested, are facts.
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
  return { submitTo, appName: app.name, refused: refusal !== null, ...facts, ...wallet }
}
