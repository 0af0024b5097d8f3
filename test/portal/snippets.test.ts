import { readFileSync } from 'node:fs'
import { transformWithOxc } from 'vite'
import { expect, test } from 'vitest'
import { snippetsOf, widgetSnippet } from '../../portal/pages/action/snippet-texts.ts'
import { libraryPrograms } from '../../portal/pages/sign-in/library-programs.ts'

const PURPOSE = { appId: 'app_staging_1', action: `vote "twice"\\ $& </script>` }

test.each([
  ['simulated people', 'http://localhost:3003'],
  ['real people', null],
])(
  "the IDKit page for %s contains the action's ids and imports no local file",
  async (_people, bridgeUrl) => {
    const text = widgetSnippet({ ...PURPOSE, bridgeUrl })
    const { code } = await transformWithOxc(text, 'page.jsx')
    expect(code).toContain(`APP_ID = ${JSON.stringify(PURPOSE.appId)}`)
    expect(text).toContain(`const ACTION = ${JSON.stringify(PURPOSE.action)}`)
    expect(text.includes(`bridge_url="${bridgeUrl}"`)).toBe(bridgeUrl !== null)
    expect(text.match(/bridge_url/g)?.length ?? 0).toBe(bridgeUrl === null ? 0 : 1)
    expect(text.match(/from '.*/g)).toEqual([
      "from '@worldcoin/idkit' // npm install @worldcoin/idkit@2",
      "from 'react'",
      "from 'react-dom/client'",
    ])
    expect(text).toContain('<IDKitWidget')
    expect(text).not.toContain('import.meta')
  },
)

test('snippetsOf returns a verify program in curl, Node, Python and Go', () => {
  const snippets = snippetsOf('verify')
  expect(snippets.map(({ language }) => language)).toEqual(['curl', 'Node', 'Python', 'Go'])
  for (const { text } of snippets) {
    expect(text).toContain('/api/v2/verify/')
    expect(text).not.toContain('```')
  }
})

test('libraryPrograms returns a program and a redirect URI for each library of docs/sign-in.md', () => {
  const programs = libraryPrograms()
  const page = readFileSync('docs/sign-in.md', 'utf8')
  const fences = page.match(/^```\w+ \S+$/gm)
  expect(programs).toHaveLength(fences?.length ?? -1)
  for (const { title, redirectUri, text } of programs) {
    expect(page).toContain(`## ${title}\n`)
    expect(page).toContain(text)
    expect(new URL(redirectUri).host).toBe('localhost:4000')
  }
})
