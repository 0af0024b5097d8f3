import calls from '../../../docs/calls.md?raw'

/** A program in one language. */
export type Snippet = { language: string; text: string }

const LANGUAGES = [
  { language: 'curl', fence: 'sh' },
  { language: 'Node', fence: 'js' },
  { language: 'Python', fence: 'python' },
  { language: 'Go', fence: 'go' },
]

/** The programs of docs/calls.md for a call, which a test runs as they stand there. */
export function snippetsOf(call: string): Snippet[] {
  return LANGUAGES.flatMap(({ language, fence }) => {
    const [, text] = calls.split(`\n\`\`\`${fence} ${call}\n`)
    return text === undefined ? [] : [{ language, text: text.slice(0, text.indexOf('\n```')) }]
  })
}
