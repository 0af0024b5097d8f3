import { type Html, html, joinHtml } from '../../../../lib/design/html.ts'
import { styledPage } from '../../../../lib/design/styled-page.ts'
import { present } from '../../../../lib/runtime/present.ts'
import { withoutPassword } from '../../../../local/postgres/without-password.ts'
import { IS_PACKAGE, ownCommand } from '../../../../local/process/own-command.ts'
import type { Facts } from '../../facts.ts'
import { DEMO } from '../../first-data/demo-data.ts'
import { PASSWORD_PLACE } from './address-table.ts'

/** The first page that a developer sees: what runs where, credentials, and what to try next. */
export function renderStartPage(facts: Facts): string {
  return styledPage({
    title: 'Personhood platform',
    layout: 'document',
    body: html`<p>Everything runs on this machine, until you end <code>${ownCommand('start')}</code>.</p>
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

function stepItem([what, command]: Step): Html {
  return html`<li>${what}${command ? html`<pre tabindex="0">${command}</pre>` : null}</li>`
}

type Row = { name: string; value: Html; note?: string }

function addressRows(facts: Facts): Row[] {
  const { baseUrl, authUrl, simulatorUrl, mailUrl, rpcUrl, tokens, databaseUrl, databaseFolder } =
    facts
  return [
    {
      name: 'Portal',
      value: linkTo(baseUrl),
      note: 'Where teams manage their apps: sign up there',
    },
    {
      name: 'Developer API',
      value: linkTo(`${baseUrl}/docs`),
      note: 'Every path, to read about and try out',
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
    { name: 'Mail', value: linkTo(mailUrl), note: 'Every message that the platform sends' },
    {
      name: 'Local chain',
      value: codeText(rpcUrl),
      note: `JSON-RPC; USDCE is ${tokens.usdce}, WLD is ${tokens.wld}`,
    },
    {
      name: 'PostgreSQL',
      value: codeText(withoutPassword(databaseUrl)),
      note: [
        PASSWORD_PLACE,
        ...(databaseFolder === null ? [] : [`its data is in ${databaseFolder}`]),
      ].join('; '),
    },
  ]
}

function graphqlRow({ baseUrl, apiKey, hasura: { consoleUrl } }: Facts): Row {
  const address = `${baseUrl}/v1/graphql`
  if (consoleUrl === null) return { name: 'GraphQL', value: codeText(address) }
  // What is after `#` stays in the browser: there the console finds the key, and asks as the demo team.
  const asTeam = `${consoleUrl}#${new URLSearchParams({ authorization: `Bearer ${apiKey}` })}`
  return {
    name: 'GraphQL',
    value: linkTo(asTeam, consoleUrl),
    note: `A console, with the demo team’s key; programs use ${address}`,
  }
}

function credentialRows({ apiKey, clientSecret, hasura }: Facts): Row[] {
  return [
    { name: 'API key', value: codeText(apiKey), note: 'For the demo team' },
    {
      name: 'Client secret',
      value: codeText(clientSecret),
      note: `Of the staging app, for a website that signs people in${IS_PACKAGE ? '' : ' (docs/sign-in.md)'}`,
    },
    { name: 'Admin secret', value: codeText(hasura.adminSecret), note: 'For the GraphQL engine' },
    ...DEMO.map(({ name, id, note }) => ({ name, value: codeText(id), note })),
  ]
}

type Step = [what: Html | string, command?: string]

function stepsToTry(facts: Facts): Step[] {
  const { baseUrl, apiKey, demoUrl, mailUrl, rpcUrl } = facts
  const app = present(DEMO[0], 'the staging app of the demo data').id
  const json = "-H 'content-type: application/json'"
  return [
    ['A guided tour, in another terminal:', ownCommand('demo')],
    [
      html`Have a simulated person make a proof, and verify it. The second time the same person is refused; another <code>--identity</code> is not:`,
      `${ownCommand('simulate', `--app ${app} --action vote --identity ada --rpc ${rpcUrl}`)} |
  curl ${baseUrl}/api/v2/verify/${app} ${json} -d @-`,
    ],
    ...(IS_PACKAGE ? [] : [widgetStep(facts)]),
    [
      'Read who voted, as the app’s own server does:',
      `curl ${baseUrl}/v1/graphql ${json} \\
  -H 'authorization: Bearer ${apiKey}' \\
  -d '{"query":"{ action { action nullifiers { nullifier_hash uses } } }"}'`,
    ],
    [
      html`Sign up in the ${linkTo(`${baseUrl}/sign-up`, 'portal')}; the link to verify the address arrives at ${linkTo(mailUrl)} at once.`,
    ],
    [html`Sign in to an app as a unique person: ${linkTo(demoUrl)}`],
  ]
}

/** The package has neither the documentation nor the examples of the repository. */
function widgetStep({ baseUrl, simulatorUrl }: Facts): Step {
  return [
    'The same with World ID’s own widget, on a page (docs/idkit.md):',
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

function linkTo(url: string, shown = url): Html {
  return html`<a href="${url}">${shown}</a>`
}

function codeText(text: string): Html {
  return html`<code>${text}</code>`
}
