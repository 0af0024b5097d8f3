/** Returns the text of every `expr` in a document, at any depth. */
export function expressionsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(expressionsIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'expr' ? [String(inner)] : expressionsIn(inner),
  )
}

/** The metrics that Prometheus makes itself for each instance that it reads. */
const PROMETHEUS_METRICS: readonly string[] = ['up']

/** Returns the metrics of the services in an expression: the names before `{` or `[`. */
export function metricsIn(expression: string): string[] {
  return [...expression.matchAll(/\b([a-z][a-z0-9_]*)(?=\{|\[)/g)]
    .map(([, name = '']) => name)
    .filter((name) => !PROMETHEUS_METRICS.includes(name))
}

/** Returns the metrics that an expression reports as missing: the names in `absent(…)`. */
export function absentMetricsIn(expression: string): string[] {
  return [...expression.matchAll(/\babsent\((\w+)\{/g)].map(([, name = '']) => name)
}

/** Returns the series of a metric in a form that is equal for the parts of a histogram. */
export function withoutSuffix(metric: string): string {
  return metric.replace(/_(bucket|count|sum)$/, '')
}

/** Returns the texts to which an expression compares the label `job`. */
export function jobsIn(expression: string): string[] {
  return [...expression.matchAll(/\bjob="([^"]+)"/g)].map(([, job = '']) => job)
}

/**
 * Returns the `process_…` and `nodejs_…` metrics that an expression reads without selecting the platform's processes. Other
 * programs may export these metrics too.
 */
export function foreignMetricsIn(expression: string): string[] {
  // A name in quotes is the value of a label.
  const processMetrics = expression.matchAll(/(?<!")\b((?:process|nodejs)_\w+)(\{[^}]*\})?/g)
  return [...processMetrics].flatMap(([, name = '', selectedLabels = '']) =>
    selectedLabels.includes('personhood_service!=""') ? [] : name,
  )
}

/** Returns the labels that an expression selects or groups by, as `metric label`. */
export function labelsIn(expression: string): string[] {
  const selectedLabels = [...expression.matchAll(/\b([a-z][a-z0-9_]*)\{([^}]*)\}/g)]
    .filter(([, metric = '']) => !PROMETHEUS_METRICS.includes(metric))
    .flatMap(([, metric, inside = '']) =>
      [...inside.matchAll(/(\w+)\s*[=!]/g)].map(([, label]) => `${metric} ${label}`),
    )
  const groupLabels = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').flatMap((label) => metricsIn(expression).map((m) => `${m} ${label.trim()}`)),
  )
  return [...selectedLabels, ...groupLabels]
}

/** Returns the labels of a line that `/metrics` exports, as `metric label`. */
export function labelsOfRow(row: string): string[] {
  const [metric, labels = ''] = row.split(/\{(.*)\}/s)
  const rowLabels = [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label)
  // Prometheus adds these two labels.
  return [...rowLabels, 'instance', 'job'].map((label) => `${metric} ${label}`)
}
