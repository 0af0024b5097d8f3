import { type Html, html, joinHtml } from '../../../../lib/design/html.ts'
import { styledPage } from '../../../../lib/design/styled-page.ts'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import { removePasswords } from '../../../../local/postgres/remove-passwords.ts'
import { formatCommandLine, IS_PACKAGE } from '../../../../local/process/format-command-line.ts'
import type { Facts } from '../../facts.ts'
import { DEMO } from '../../first-data/demo-data.ts'
import { PASSWORD_PLACE } from './address-table.ts'

/** Returns the start page: addresses, credentials, and commands to try. */
export function renderStartPage(facts: Facts): string {
  return styledPage({
    title: 'Personhood platform',
    layout: 'document',
    body: html`<p>Everything runs on this machine until you stop <code>${formatCommandLine('start')}</code>.</p>
<h2>What runs where</h2>
${descriptionList(addressRows(facts))}
<h2>Credentials</h2>
${descriptionList(credentialRows(facts))}
<h2>What to try next</h2>
<ol>
${joinHtml(stepsToTry(facts).map(stepItem), '\n')}
</ol>`,
  })
}

function stepItem([text, command]: Step): Html {
  return html`<li>${text}${command ? html`<pre tabindex="0">${command}</pre>` : null}</li>`
}

type Row = { name: string; value: Html; note?: string }

function addressRows(facts: Facts): Row[] {
  const { baseUrl, authUrl, simulatorUrl, mailUrl, rpcUrl, tokens, databaseUrl, databaseFolder } =
    facts
  return [
    {
      name: 'Portal',
      value: linkTo(baseUrl),
      note: 'Sign up here to manage a team and its apps',
    },
    {
      name: 'Developer API',
      value: linkTo(`${baseUrl}/docs`),
      note: 'Documentation of every public path, with a form to try it',
    },
    graphqlRow(facts),
    {
      name: 'Sign-in server',
      value: linkTo(`${authUrl}/.well-known/openid-configuration`),
      note: 'OpenID Connect',
    },
    {
      name: 'Prices',
      value: linkTo(
        `${baseUrl}/public/v1/miniapps/prices?cryptoCurrencies=WLD,USDCE&fiatCurrencies=USD,EUR`,
      ),
      note: 'Recorded prices, refreshed every minute',
    },
    { name: 'Simulator', value: linkTo(simulatorUrl), note: 'The wallet of simulated people' },
    { name: 'Mail', value: linkTo(mailUrl), note: 'All mail that the platform sends' },
    {
      name: 'Local chain',
      value: codeText(rpcUrl),
      note: `JSON-RPC; USDCE is ${tokens.usdce}, WLD is ${tokens.wld}`,
    },
    {
      name: 'PostgreSQL',
      value: codeText(removePasswords(databaseUrl)),
      note: [
        PASSWORD_PLACE,
        ...(databaseFolder === null ? [] : [`the data is in ${databaseFolder}`]),
      ].join('; '),
    },
  ]
}

function graphqlRow({ baseUrl, apiKey, hasura: { consoleUrl } }: Facts): Row {
  const address = `${baseUrl}/v1/graphql`
  if (consoleUrl === null) return { name: 'GraphQL', value: codeText(address) }
  // The browser does not send the part after `#`. The console reads the key there and sends requests as the demo team.
  const teamConsoleUrl = `${consoleUrl}#${new URLSearchParams({ authorization: `Bearer ${apiKey}` })}`
  return {
    name: 'GraphQL',
    value: linkTo(teamConsoleUrl, consoleUrl),
    note: `A console with the demo team’s key. Programs use ${address}`,
  }
}

function credentialRows({ apiKey, clientSecret, hasura }: Facts): Row[] {
  return [
    { name: 'API key', value: codeText(apiKey), note: 'The demo team’s key' },
    {
      name: 'Client secret',
      value: codeText(clientSecret),
      note: `The staging app’s secret, for a website with sign-in${IS_PACKAGE ? '' : ' (docs/sign-in.md)'}`,
    },
    {
      name: 'Admin secret',
      value: codeText(hasura.adminSecret),
      note: 'The GraphQL engine’s secret',
    },
    ...DEMO.map(({ name, id, note }) => ({ name, value: codeText(id), note })),
  ]
}

type Step = [text: Html | string, command?: string]

function stepsToTry(facts: Facts): Step[] {
  const { baseUrl, apiKey, demoUrl, mailUrl, rpcUrl } = facts
  const app = requireValue(DEMO[0], 'the staging app of the demo data').id
  const json = "-H 'content-type: application/json'"
  return [
    ['Take a guided tour in another terminal:', formatCommandLine('demo')],
    [
      html`Make a proof of a simulated person and verify it. The platform rejects the same person the second time, and accepts another <code>--identity</code>:`,
      `${formatCommandLine('simulate', `--app ${app} --action vote --identity ada --rpc ${rpcUrl}`)} |
  curl ${baseUrl}/api/v2/verify/${app} ${json} -d @-`,
    ],
    ...(IS_PACKAGE ? [] : [widgetStep(facts)]),
    [
      'Read who voted, as the app’s server does:',
      `curl ${baseUrl}/v1/graphql ${json} \\
  -H 'authorization: Bearer ${apiKey}' \\
  -d '{"query":"{ action { action nullifiers { nullifier_hash uses } } }"}'`,
    ],
    [
      html`Sign up in the ${linkTo(`${baseUrl}/sign-up`, 'portal')}. The link to verify your address arrives at ${linkTo(mailUrl)} at once.`,
    ],
    [html`Sign in to an app as a unique person: ${linkTo(demoUrl)}`],
  ]
}

/** Only the repository has docs/idkit.md and the example, so the package leaves this step out. */
function widgetStep({ baseUrl, simulatorUrl }: Facts): Step {
  return [
    'Verify with World ID’s widget on a page (docs/idkit.md):',
    `BASE_URL=${baseUrl} BRIDGE_URL=${simulatorUrl} npm run example:idkit`,
  ]
}

function descriptionList(rows: readonly Row[]): Html {
  const items = rows.map(
    ({ name, value, note }) =>
      html`<dt>${name}</dt><dd>${value}${note ? html`<small>${note}</small>` : null}</dd>`,
  )
  return html`<dl>\n${joinHtml(items, '\n')}\n</dl>`
}

function linkTo(url: string, text = url): Html {
  return html`<a href="${url}">${text}</a>`
}

function codeText(text: string): Html {
  return html`<code>${text}</code>`
}
