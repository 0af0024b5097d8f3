// Runs in the browser after the viewer's script. Shows the API description in the browser's light or dark theme.
const dark = matchMedia('(prefers-color-scheme: dark)')
const followTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
followTheme()
dark.addEventListener('change', followTheme)
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  validatorUrl: null,
  // The highlighter uses a single theme, which does not follow the light or dark mode.
  syntaxHighlight: { activated: false },
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
})
