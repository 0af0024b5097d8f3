import { hash } from 'node:crypto'
import { html, joinHtml, trustedHtml } from '../../lib/design/html.ts'
import type { RenderedPage } from '../../lib/runtime/http/error-answer.ts'

const SCRIPT = "document.addEventListener('DOMContentLoaded', () => document.forms[0].submit())"
const SCRIPT_SOURCE = `'sha256-${hash('sha256', SCRIPT, 'base64')}'`

/**
 * Renders the page that posts fields to a client. The page may run only its own script, and may not be in a frame.
 *
 * The page may post to the redirect URI, and to any host over HTTPS. If the client redirects the posted form, browsers
 * apply `form-action` to the redirect, too. If a redirect to another host were blocked, the person would see a blank
 * page.
 */
export function renderFormPost(
  redirectUri: string,
  fields: readonly (readonly [name: string, value: string])[],
): RenderedPage {
  const inputs = fields.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}"/>`,
  )
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Submitting Callback</title>
<script>${trustedHtml(SCRIPT)}</script>
</head>
<body>
<form method="post" action="${redirectUri}">
${joinHtml(inputs, '\n')}
<noscript>
Your browser does not support JavaScript or you've disabled it.<br/>
<button autofocus type="submit">Continue</button>
</noscript>
</form>
</body>
</html>
`
  const { origin } = new URL(redirectUri)
  return {
    html: String(page),
    headers: {
      'content-security-policy': `default-src 'none'; script-src ${SCRIPT_SOURCE}; form-action https: ${origin}; frame-ancestors 'none'; base-uri 'none'`,
      // A website may check the origin of the form. With `no-referrer` the origin would be `null`.
      'referrer-policy': 'strict-origin',
    },
  }
}
