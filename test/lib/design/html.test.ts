import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { html, joinHtml, jsonForScript, trustedHtml } from '../../../lib/design/html.ts'
import { isTest, sourceFiles } from '../../../scripts/layers.ts'

const HOSTILE = `</p><script>alert("1") & '2'</script>`

test('every value of a template is escaped, in an attribute as between tags', () => {
  const page = html`<p title="${HOSTILE}">${HOSTILE}</p>`
  const escaped =
    '&#60;/p&#62;&#60;script&#62;alert(&#34;1&#34;) &#38; &#39;2&#39;&#60;/script&#62;'
  expect(String(page)).toBe(`<p title="${escaped}">${escaped}</p>`)
})

test('nested HTML stays as it is, numbers are written, and null is left out', () => {
  const items = [html`<li>${1}</li>`, html`<li>${null}</li>`]
  expect(String(html`<ul>${joinHtml(items, '\n')}</ul>`)).toBe('<ul><li>1</li>\n<li></li></ul>')
})

test('a backslash in a template is written as the source means it', () => {
  expect(String(html`<p>a\nb</p>`)).toBe('<p>a\nb</p>')
})

test('only HTML that the source trusts is inserted as it is', () => {
  expect(String(html`<style>${trustedHtml('a > b { c: "d" }')}</style>`)).toBe(
    '<style>a > b { c: "d" }</style>',
  )
})

test('data for a script cannot close the element that it is in', () => {
  const data = String(jsonForScript({ text: '</script><!--' }))
  expect(data).not.toContain('<')
  expect(JSON.parse(data)).toEqual({ text: '</script><!--' })
})

/** A template that begins with a tag, without the tag `html` before it. */
const UNTAGGED = /(?<!html)`<(?:!doctype|[a-z]+[1-6]?)(?:[ >]|$)/im

test('no page of the services is written without the tag', () => {
  const pages = sourceFiles().filter(
    (file) => /^(lib|oidc|webhooks|local|packages)\/.*\.ts$/.test(file) && !isTest(file),
  )
  const code = (file: string) => readFileSync(file, 'utf8').replaceAll(/^ *(\/?\*|\/\/).*$/gm, '')
  expect(pages.filter((file) => UNTAGGED.test(code(file)))).toEqual([])
})
