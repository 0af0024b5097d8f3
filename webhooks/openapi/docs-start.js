// Runs in the browser, after the viewer: shows the description.
document.documentElement.classList.toggle(
  'dark-mode',
  matchMedia('(prefers-color-scheme: dark)').matches,
)
SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, validatorUrl: null })
