// Runs in the browser, after the viewer: shows the description, and is as light or dark as the rest of the person's device.
const dark = matchMedia('(prefers-color-scheme: dark)')
const followTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
followTheme()
dark.addEventListener('change', followTheme)
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  validatorUrl: null,
  // Its colours are those of one dark theme.
  syntaxHighlight: { activated: false },
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
})
