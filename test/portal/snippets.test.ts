import { readFileSync } from 'node:fs'
import { transformWithOxc } from 'vite'
import { expect, test } from 'vitest'
import {
  curlFor,
  PAGE_COMMANDS,
  serversFor,
  widgetPage,
} from '../../portal/pages/action/programs-3.ts'
import { PAGE_COMMANDS_4, serverFor } from '../../portal/pages/action/programs-4.ts'
import { libraryPrograms } from '../../portal/pages/sign-in/library-programs.ts'

const PURPOSE = {
  appId: 'app_staging_1',
  rpId: 'rp_00000000000000a1',
  action: `vote "twice"\\ $& it's </script>`,
  credential: 'proof_of_human',
  baseUrl: 'http://localhost:3000',
  bridgeUrl: null,
} as const
const CLIENT = { issuer: 'http://localhost:3001', clientId: 'app_staging_1' }

test.each([
  ['simulated people', 'http://localhost:3003'],
  ['real people', null],
])(
  "the IDKit page for %s contains the action's ids and imports no local file",
  async (_people, bridgeUrl) => {
    const text = widgetPage({ ...PURPOSE, bridgeUrl })
    const { code } = await transformWithOxc(text, 'page.jsx')
    expect(code).toContain(`APP_ID = ${JSON.stringify(PURPOSE.appId)}`)
    expect(text).toContain(`const ACTION = ${JSON.stringify(PURPOSE.action)}`)
    expect(text.includes(`bridge_url="${bridgeUrl}"`)).toBe(bridgeUrl !== null)
    expect(text.match(/bridge_url/g)?.length ?? 0).toBe(bridgeUrl === null ? 0 : 1)
    expect(text.match(/from '.*/g)).toEqual([
      "from '@worldcoin/idkit'",
      "from 'react'",
      "from 'react-dom/client'",
    ])
    expect(text).toContain("fetch('/verify'")
    expect(text).toContain('<IDKitWidget')
    expect(text).not.toContain('import.meta')
  },
)

test('the programs of an action are a server in Node, Python and Go, and a program for curl', () => {
  const programs = [...serversFor(PURPOSE), curlFor(PURPOSE)]
  expect(programs.map(({ language }) => language)).toEqual(['Node', 'Python', 'Go', 'curl'])
  for (const { text } of programs) expect(text).toContain('/api/v2/verify/')
})

test('the commands of each program set every variable that the program reads', () => {
  const programs = [
    ...serversFor(PURPOSE),
    curlFor(PURPOSE),
    serverFor(PURPOSE),
    ...libraryPrograms(CLIENT),
  ]
  expect(programs).toHaveLength(15)
  for (const { text, commands, file } of programs)
    for (const name of variablesIn(text)) expect(commands, file).toMatch(new RegExp(`\\b${name}=`))
})

test('docs/calls.md has the program for curl', () => {
  const { text } = curlFor(PURPOSE)
  expect(readFileSync('docs/calls.md', 'utf8')).toContain(`\n\`\`\`sh verify\n${text}\n\`\`\`\n`)
})

/** The names of environment variables that a program reads: words in capitals, as each language spells them. */
function variablesIn(text: string): string[] {
  const [, destructured = ''] = /^const \{([^}]*)\} = process\.env$/m.exec(text) ?? []
  const [, nodeNames = destructured] = /^const \{([^}]*)\} =\n {2}process\.env$/m.exec(text) ?? []
  return [
    ...nodeNames.matchAll(/\b([A-Z][A-Z_]+)\b/g),
    ...text.matchAll(/(?:env\[|env\.get\(|Getenv\()["']([A-Z_]+)["']/g),
    ...text.matchAll(/\$\{([A-Z_]+)\}/g),
  ].flatMap(([, name = '']) =>
    // Variables that the curl program sets itself.
    text.includes(`${name}=$(`) || text.includes(`${name}=0x`) ? [] : [name],
  )
}

test("the commands install the versions of World ID's packages that the tests run", () => {
  const { devDependencies } = JSON.parse(readFileSync('examples/idkit/package.json', 'utf8'))
  const nodeServer = serversFor(PURPOSE)[0]?.commands
  expect(`npm:${PAGE_COMMANDS}`).toContain(devDependencies['idkit-2'].replace('npm:', ''))
  expect(nodeServer).toContain(devDependencies['idkit-core-2'].replace('npm:', ''))
  for (const commands of [PAGE_COMMANDS_4, serverFor(PURPOSE).commands])
    expect(commands).toContain(`@worldcoin/idkit@${devDependencies['@worldcoin/idkit']}`)
})

test('libraryPrograms returns a program and a redirect URI for each library of docs/sign-in.md', () => {
  const programs = libraryPrograms(CLIENT)
  const page = readFileSync('docs/sign-in.md', 'utf8')
  const fences = page.match(/^```\w+ \S+$/gm)
  expect(programs).toHaveLength(fences?.length ?? -1)
  for (const { title, redirectUri, text } of programs) {
    const [, section = ''] = page.split(`## ${title}\n`)
    expect(section.split('\n## ')[0]).toContain(text)
    expect(section.split('\n## ')[0]).toContain(`Redirect URI: \`${redirectUri}\``)
  }
})

test('the commands of a program in Node install the packages that its first line names', () => {
  for (const { text, commands } of libraryPrograms(CLIENT)) {
    const [, packages] = /^\/\/ npm install (.*)$/m.exec(text) ?? []
    if (packages) expect(commands).toContain(`npm install ${packages}\n`)
    const [, pipPackages] = /^# pip install (.*)$/m.exec(text) ?? []
    if (pipPackages) expect(commands).toContain(`pip install ${pipPackages}\n`)
  }
})
