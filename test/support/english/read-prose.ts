import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { isTest } from '../../../scripts/layers.ts'

/** The place of a sentence: a comment of code or SQL, a document, a text that users read, or the title of a test. */
export type Kind = 'comments' | 'documents' | 'texts' | 'titles'

export type Sentence = { kind: Kind; file: string; text: string }

/** Files that are not read: generated code, licences, the change log, and tables of packages, figures and results. */
const LEFT_OUT =
  /generated|package-lock|LICENSE|CHANGELOG|docs\/(dependencies|figures|public-projects)\.md/

const CODE = /\.(ts|tsx|mjs)$/

/** Reads the sentences of the repository's code, SQL and Markdown files, and the titles of test cases in YAML. */
export function readProse(): Sentence[] {
  return projectFiles().flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    if (CODE.test(file)) return [...commentsOf(file, text), ...stringsOf(file, text)]
    if (file.endsWith('.sql'))
      return sentencesOf('comments', file, matches(text, /((?:^\s*--.*\n)+)/gm))
    if (file.endsWith('.md')) return documentSentences(file, text)
    return /\.ya?ml$/.test(file) && isTest(file) ? caseTitles(file, text) : []
  })
}

/** Lists the TypeScript and JavaScript files outside tests. */
export function productCode(): string[] {
  return projectFiles().filter((file) => CODE.test(file) && !isTest(file))
}

function projectFiles(): string[] {
  const listed = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n')
  return listed.filter((file) => !LEFT_OUT.test(file) && existsSync(file))
}

function commentsOf(file: string, text: string): Sentence[] {
  const blocks = matches(text, /^[ \t]*\/\*\*?([\s\S]*?)\*\//gm)
  const lines = matches(text, /((?:^[ \t]*\/\/.*\n?)+)/gm)
  return sentencesOf('comments', file, [...blocks, ...lines])
}

/** Returns the titles of a test file. Of other files, returns the texts that users read: errors, descriptions, labels, HTML. */
function stringsOf(file: string, text: string): Sentence[] {
  if (isTest(file))
    return sentencesOf(
      'titles',
      file,
      matches(
        text,
        /\b(?:test|it|describe)(?:\.\w+)*\(\s*(?:'((?:\\.|[^'\n])+)'|"([^"\n]+)"|`([^`]+)`)/g,
      ),
    )
  const quoted =
    /(?:Error\(|\b(?:detail|message|reason|title|label|description|placeholder)=?[:=]\s*\{?|describe\()\s*(?:'((?:\\.|[^'\n])+)'|"([^"\n]+)"|`([^`]+)`)/g
  const betweenTags = />\s*([A-Z][^<>{}]{25,}?)\s*</g
  return sentencesOf('texts', file, [...matches(text, quoted), ...matches(text, betweenTags)])
}

/** Returns the titles of the engine's cases. */
function caseTitles(file: string, text: string): Sentence[] {
  return sentencesOf('titles', file, matches(text, /^\s*-?\s*(?:title|name|case):\s*(.{12,})$/gm))
}

/** Returns the sentences of paragraphs and table cells, without code and headings. */
function documentSentences(file: string, text: string): Sentence[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '').replace(/<!--[\s\S]*?-->/g, '')
  const paragraphs = prose.split(/\n\s*\n|\|/).filter((paragraph) => !/^\s*#/.test(paragraph))
  return sentencesOf('documents', file, paragraphs)
}

/** Splits passages into sentences, and drops sentences of fewer than four words. */
function sentencesOf(kind: Kind, file: string, passages: readonly string[]): Sentence[] {
  return passages.flatMap((passage) =>
    passage
      .replace(/^\s*(\*|\/\/|--)/gm, '')
      .replace(/biome-ignore.*|@(param|returns|throws|see)\b/g, '')
      .replace(/[*_`]/g, '')
      .replace(/\s+/g, ' ')
      .trim()
      .split(/(?<=[.!?:])\s+(?=[A-Z"(])/)
      .filter((text) => text.split(' ').length >= 4)
      .map((text) => ({ kind, file, text })),
  )
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match.slice(1).find(Boolean) ?? '')
}
