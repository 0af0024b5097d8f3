import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { html, joinHtml, jsonForScript, trustedHtml } from '../../../lib/design/html.ts'
import { isTest, sourceFiles } from '../../../scripts/layers.ts'

const HOSTILE = `</p><script>alert("1") & '2'</script>`

test('every value of a template is escaped, in attributes and between tags', () => {
  const page = html`<p title="${HOSTILE}">${HOSTILE}</p>`
  const escaped =
    '&#60;/p&#62;&#60;script&#62;alert(&#34;1&#34;) &#38; &#39;2&#39;&#60;/script&#62;'
  expect(String(page)).toBe(`<p title="${escaped}">${escaped}</p>`)
})

test('a template inserts nested HTML unchanged, prints numbers, and omits null', () => {
  const items = [html`<li>${1}</li>`, html`<li>${null}</li>`]
  expect(String(html`<ul>${joinHtml(items, '\n')}</ul>`)).toBe('<ul><li>1</li>\n<li></li></ul>')
})

test('a template keeps a backslash escape of the source', () => {
  expect(String(html`<p>a\nb</p>`)).toBe('<p>a\nb</p>')
})

test('a template inserts trusted HTML unchanged', () => {
  expect(String(html`<style>${trustedHtml('a > b { c: "d" }')}</style>`)).toBe(
    '<style>a > b { c: "d" }</style>',
  )
})

test('data for a script cannot close the script element', () => {
  const data = String(jsonForScript({ text: '</script><!--' }))
  expect(data).not.toContain('<')
  expect(JSON.parse(data)).toEqual({ text: '</script><!--' })
})

/** Matches a template string that begins with an HTML tag but lacks the prefix `html`. */
const UNTAGGED = /(?<!html)`<(?:!doctype|[a-z]+[1-6]?)(?:[ >]|$)/im

test('every HTML template of the services has the prefix `html`', () => {
  const pages = sourceFiles().filter(
    (file) => /^(lib|oidc|webhooks|local|packages)\/.*\.ts$/.test(file) && !isTest(file),
  )
  const code = (file: string) => readFileSync(file, 'utf8').replaceAll(/^ *(\/?\*|\/\/).*$/gm, '')
  expect(pages.filter((file) => UNTAGGED.test(code(file)))).toEqual([])
})
