import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const [, ...sections] = readFileSync('docs/operations/questions.md', 'utf8').split(/^### /m)
const questions = sections.map((section): [string, string] => {
  const [title = '', ...lines] = section.split('\n')
  return [
    title,
    lines
      .join(' ')
      .replace(/ ## .*/, '')
      .trim(),
  ]
})

test('docs/operations/questions.md has questions', () => {
  expect(questions.length).toBeGreaterThan(30)
})

test.each(questions)(
  '"%s" is a question, and its short answer links to the page with the rest',
  (title, answer) => {
    expect(title).toMatch(/\?$/)
    expect(answer).toMatch(/\]\([^)]+\)/)
    const sentences = answer.split(/[.:?)]\s+(?=[A-Z`[])/).length
    expect(sentences).toBeLessThanOrEqual(5)
  },
)
