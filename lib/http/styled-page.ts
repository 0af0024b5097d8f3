import { escapeHtml, htmlPage, inlineStyle } from './html.ts'

const style = inlineStyle(`
:root {
  color-scheme: light dark;
  --quiet: color-mix(in srgb, CanvasText 62%, Canvas);
  --line: color-mix(in srgb, CanvasText 22%, Canvas);
  font: 1rem/1.5 system-ui, sans-serif;
}
body { margin: 0; }
main {
  box-sizing: border-box; max-width: 46rem; margin: 0 auto; padding: 2rem 1rem 4rem;
  overflow-wrap: anywhere;
}
main.card {
  display: grid; align-content: center; max-width: 26rem; min-height: 100vh; padding: 1.5rem;
  font-size: 1.0625rem;
}
h1 { font-size: 1.625rem; line-height: 1.2; margin: 0 0 0.75rem; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 0.5rem; }
p { margin: 0 0 1rem; }
small { color: var(--quiet); }
dl {
  display: grid; grid-template-columns: minmax(7rem, max-content) minmax(0, 1fr);
  gap: 0.5rem 1.5rem; margin: 0;
}
dt { font-weight: 600; }
dd { margin: 0; }
dd small { display: block; }
ol { padding-left: 1.25rem; }
li { margin: 1rem 0; }
article { border-top: 1px solid var(--line); padding: 1rem 0; }
article h2 { margin: 0; }
code, pre { font: 0.875rem/1.5 ui-monospace, monospace; }
code { user-select: all; }
pre {
  overflow-x: auto; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 0.5rem;
  margin: 0.5rem 0 0;
}
pre.prose { padding: 0; border: 0; font: inherit; white-space: pre-wrap; }
input, button, .button {
  display: block; box-sizing: border-box; width: 100%; padding: 0.75rem;
  border: 1px solid var(--quiet); border-radius: 0.5rem; font: inherit;
}
label { display: block; margin: 0 0 1rem; font-weight: 600; }
label input { margin-top: 0.25rem; font-weight: 400; }
input[readonly] { border-color: var(--line); color: var(--quiet); }
details { margin: 1.5rem 0 0; }
summary { margin: 0 0 1rem; cursor: pointer; color: var(--quiet); }
button, .button {
  border-color: transparent; cursor: pointer; font-weight: 600; text-align: center;
  text-decoration: none; color: Canvas; background: CanvasText;
}
button.quiet { color: var(--quiet); background: transparent; font-weight: 400; }
:focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }
@media (max-width: 32rem) {
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin-bottom: 0.75rem; }
}
`)

/** The source that lets a Content-Security-Policy allow the style of these pages, and no other. */
export const STYLE_SOURCE = style.source

type StyledPage = {
  /** Plain text; also the heading. */
  title: string
  /** HTML after the heading; the caller has escaped every value in it. */
  body: string
  /** `card`: one short question in the middle of the screen. `document`: a page to read. */
  layout: 'card' | 'document'
}

/**
 * A whole page in the one style of our small pages: no script, nothing loaded from elsewhere, light or dark as
 * the person's device prefers, and fit for phones. The sign-in page has a sheet of its own.
 */
export function styledPage({ title, body, layout }: StyledPage): string {
  const open = layout === 'card' ? '<main class="card">' : '<main>'
  const heading = `<h1>${escapeHtml(title)}</h1>`
  return htmlPage({ title, head: style.html, body: `${open}\n${heading}\n${body}\n</main>` })
}
