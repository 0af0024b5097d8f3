import signIn from '../../../docs/sign-in.md?raw'

/** A website, or a server configuration, that signs people in. */
export type LibraryProgram = {
  /** The heading in docs/sign-in.md, such as `Express with openid-client`. */
  title: string
  /** The first redirect URI that docs/sign-in.md names for the program. */
  redirectUri: string
  text: string
}

/** Returns the programs of docs/sign-in.md. Tests run most of them unchanged. */
export function libraryPrograms(): LibraryProgram[] {
  const sections = signIn.split(/^## /m).slice(1)
  return sections.flatMap((section) => {
    const [title = ''] = section.split('\n', 1)
    const [, text] = /^```(?:js|python|apache|yaml|html) \S+\n(.*?)\n```$/ms.exec(section) ?? []
    const [, redirectUri] = /Redirect URI: `([^`]+)`/.exec(section) ?? []
    return text === undefined || redirectUri === undefined ? [] : [{ title, redirectUri, text }]
  })
}
