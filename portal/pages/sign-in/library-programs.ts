import signIn from '../../../docs/sign-in.md?raw'

/** A website that signs people in with a library, or a server's configuration that does. */
export type LibraryProgram = {
  /** The heading above it, such as `Express with openid-client`. */
  title: string
  /** Of its first redirect URI, which the paragraphs above it name. */
  redirectUri: string
  text: string
}

/** The programs of docs/sign-in.md, which tests run as they stand there. */
export function libraryPrograms(): LibraryProgram[] {
  const sections = signIn.split(/^## /m).slice(1)
  return sections.flatMap((section) => {
    const [title = ''] = section.split('\n', 1)
    const [, text] = /^```(?:js|python|apache|yaml|html) \S+\n(.*?)\n```$/ms.exec(section) ?? []
    const [, redirectUri] = /Redirect URI: `([^`]+)`/.exec(section) ?? []
    return text === undefined || redirectUri === undefined ? [] : [{ title, redirectUri, text }]
  })
}
