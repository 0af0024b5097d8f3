import { escapeHtml } from '../../../../lib/design/html.ts'
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
    body: `<p>Everything runs on this machine, until you end <code>${ownCommand('start')}</code>.</p>
<h2>What runs where</h2>
${descriptionList(addressRows(facts))}
<h2>Credentials</h2>
${descriptionList(credentialRows(facts))}
<h2>What to try next</h2>
<ol>
${stepsToTry(facts)
  .map(
    ([what, command]) =>
      `<li>${what}${command ? `<pre tabindex="0">${escapeHtml(command)}</pre>` : ''}</li>`,
  )
  .join('\n')}
</ol>`,
  })
}

type Row = { name: string; html: string; note?: string }

function addressRows(facts: Facts): Row[] {
  const { baseUrl, authUrl, simulatorUrl, mailUrl, rpcUrl, tokens, databaseUrl, databaseFolder } =
    facts
  return [
    { name: 'Portal', html: linkTo(baseUrl), note: 'Where teams manage their apps: sign up there' },
    {
      name: 'Developer API',
      html: linkTo(`${baseUrl}/docs`),
      note: 'Every path, to read about and try out',
    },
    graphqlRow(facts),
    {
      name: 'Sign-in server',
      html: linkTo(`${authUrl}/.well-known/openid-configuration`),
      note: 'OpenID Connect',
    },
    {
      name: 'Prices',
      html: linkTo(
        `${baseUrl}/public/v1/miniapps/prices?cryptoCurrencies=WLD,USDCE&fiatCurrencies=USD,EUR`,
      ),
      note: 'Recorded prices, refreshed every minute',
    },
    { name: 'Simulator', html: linkTo(simulatorUrl), note: 'The wallet of simulated people' },
    { name: 'Mail', html: linkTo(mailUrl), note: 'Every message that the platform sends' },
    {
      name: 'Local chain',
      html: codeText(rpcUrl),
      note: `JSON-RPC; USDCE is ${tokens.usdce}, WLD is ${tokens.wld}`,
    },
    {
      name: 'PostgreSQL',
      html: codeText(withoutPassword(databaseUrl)),
      note: [
        PASSWORD_PLACE,
        ...(databaseFolder === null ? [] : [`its data is in ${databaseFolder}`]),
      ].join('; '),
    },
  ]
}

function graphqlRow({ baseUrl, apiKey, hasura: { consoleUrl } }: Facts): Row {
  const address = `${baseUrl}/v1/graphql`
  if (consoleUrl === null) return { name: 'GraphQL', html: codeText(address) }
  // What is after `#` stays in the browser: there the console finds the key, and asks as the demo team.
  const asTeam = `${consoleUrl}#${new URLSearchParams({ authorization: `Bearer ${apiKey}` })}`
  return {
    name: 'GraphQL',
    html: linkTo(asTeam, consoleUrl),
    note: `A console, with the demo team’s key; programs use ${address}`,
  }
}

function credentialRows({ apiKey, clientSecret, hasura }: Facts): Row[] {
  return [
    { name: 'API key', html: codeText(apiKey), note: 'For the demo team' },
    {
      name: 'Client secret',
      html: codeText(clientSecret),
      note: `Of the staging app, for a website that signs people in${IS_PACKAGE ? '' : ' (docs/sign-in.md)'}`,
    },
    { name: 'Admin secret', html: codeText(hasura.adminSecret), note: 'For the GraphQL engine' },
    ...DEMO.map(({ name, id, note }) => ({ name, html: codeText(id), note })),
  ]
}

type Step = [what: string, command?: string]

function stepsToTry(facts: Facts): Step[] {
  const { baseUrl, apiKey, demoUrl, mailUrl, rpcUrl } = facts
  const app = present(DEMO[0], 'the staging app of the demo data').id
  const json = "-H 'content-type: application/json'"
  return [
    ['A guided tour, in another terminal:', ownCommand('demo')],
    [
      'Have a simulated person make a proof, and verify it. The second time the same person is refused; another <code>--identity</code> is not:',
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
      `Sign up in the ${linkTo(`${baseUrl}/sign-up`, 'portal')}; the link to verify the address arrives at ${linkTo(mailUrl)} at once.`,
    ],
    [`Sign in to an app as a unique person: ${linkTo(demoUrl)}`],
  ]
}

/** The package has neither the documentation nor the examples of the repository. */
function widgetStep({ baseUrl, simulatorUrl }: Facts): Step {
  return [
    'The same with World ID’s own widget, on a page (docs/idkit.md):',
    `BASE_URL=${baseUrl} BRIDGE_URL=${simulatorUrl} npm run example:idkit`,
  ]
}

function descriptionList(rows: readonly Row[]): string {
  const items = rows.map(({ name, html, note }) => {
    const small = note ? `<small>${escapeHtml(note)}</small>` : ''
    return `<dt>${escapeHtml(name)}</dt><dd>${html}${small}</dd>`
  })
  return `<dl>\n${items.join('\n')}\n</dl>`
}

function linkTo(url: string, shown = url): string {
  return `<a href="${escapeHtml(url)}">${escapeHtml(shown)}</a>`
}

function codeText(text: string): string {
  return `<code>${escapeHtml(text)}</code>`
}
