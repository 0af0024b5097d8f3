import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Kind, productCode, readProse, type Sentence } from '../support/english/read-prose.ts'

const prose = readProse()
const kinds = Map.groupBy(prose, ({ kind }) => kind)

/** Words that make a sentence hard to read, and how often each may occur in 1,000 words. CONTRIBUTING.md says what to write instead. */
const LIMITS: readonly { name: string; pattern: RegExp; limit: number }[] = [
  {
    name: '“who” instead of a caller, a user or a person',
    pattern:
      /\b(whoever|those who|who (is|has|was|had|are|may|can|must|asks?|sends?|waits?)|whose)\b/gi,
    limit: 0.6,
  },
  {
    name: '“what” instead of a noun',
    pattern:
      /\b(what|whatever) (is|was|are|were|it|they|has|had|there|a|an|the|this|that|cannot|can|may|must|no)\b/gi,
    limit: 1.2,
  },
  {
    name: '“those”, “such” and “ones” instead of a noun',
    pattern: /\b(ones?|those|such(?! as)|theirs|ours|its own|another one|the others?)\b/gi,
    limit: 7,
  },
  { name: '“is told” without an actor', pattern: /\b(is|are|was|were|be) told\b/gi, limit: 0.1 },
  { name: '“nobody” and “somebody”', pattern: /\b(somebody|anybody|nobody)\b/gi, limit: 0.4 },
  {
    name: 'words that are not in use',
    pattern: /\b(anew|meanwhile|thereby|therein|lest|but for|until then|of theirs|of ours)\b/gi,
    limit: 0.2,
  },
]

const KINDS: readonly Kind[] = ['comments', 'documents', 'texts', 'titles']

/** The first word of a sentence that has no subject, or begins in the sentence before. */
const OPENING =
  /^(who|whoever|what|those|of (the|those|what|who)|such|that which|nor|and|as|which|in which|whether)\b/i

describe.each(KINDS)('the English in %s is plain', (kind) => {
  const sentences = kinds.get(kind) ?? []
  const words = sentences.reduce((sum, { text }) => sum + text.split(' ').length, 0)

  test.each(LIMITS)('at most $limit of 1,000 words are $name', ({ pattern, limit }) => {
    const found = sentences.flatMap(
      (sentence) => sentence.text.match(pattern)?.map(() => sentence) ?? [],
    )
    expect(words).toBeGreaterThan(1_000)
    expect((1_000 * found.length) / words, show(found)).toBeLessThanOrEqual(limit)
  })
})

test.each<Kind>(['comments', 'titles'])(
  'at most one in a hundred %s begins with “who”, “what”, “and” or another word that is not a subject',
  (kind) => {
    const sentences = kinds.get(kind) ?? []
    const found = sentences.filter(({ text }) => OPENING.test(text))
    expect(found.length / sentences.length, show(found)).toBeLessThanOrEqual(0.01)
  },
)

test('at most 15 variables have a bare participle as their name', () => {
  const participle =
    /\b(?:const|let)\s+(asked|given|known|found|judged|told|left|tried|seen|said|read|made|taken|meant|wanted|answered|refused|counted|owed|due|kept|held|shown|done)\b/g
  const found = productCode().flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(participle)].map(([text]) => `${file}: ${text}`),
  )
  expect(found.length, found.join('\n')).toBeLessThanOrEqual(15)
})

/** The first sentences with their files, for the message of a failed test. */
function show(sentences: readonly Sentence[]): string {
  return sentences
    .slice(0, 40)
    .map(({ file, text }) => `${file}: ${text}`)
    .join('\n')
}
