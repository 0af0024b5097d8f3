{{/* Labels of an object; takes the root context and the name of a component. */}}
{{- define "platform.labels" -}}
{{- $root := index . 0 -}}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
app.kubernetes.io/part-of: {{ $root.Chart.Name }}
{{ include "platform.selector" . }}
{{- end }}

{{/* The labels that select the pods of a component. */}}
{{- define "platform.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* Selects the pods of a component. CloudNativePG labels its pods itself, also while it creates or restores an instance. */}}
{{- define "platform.pods" -}}
{{- $root := index . 0 -}}
{{- if eq (index . 1) "postgres" -}}
matchLabels: { cnpg.io/cluster: {{ $root.Release.Name }}-postgres }
{{- else if eq (index . 1) "pooler" -}}
matchLabels: { cnpg.io/poolerName: {{ $root.Release.Name }}-postgres-pooler }
{{- else -}}
matchLabels: {{- include "platform.selector" . | nindent 2 }}
{{- end -}}
{{- end }}

{{/* The image of a target of the Dockerfile. */}}
{{- define "platform.image" -}}
{{- $root := index . 0 -}}
{{ $root.Values.images.registry }}/{{ index . 1 }}:{{ $root.Values.images.tag | default $root.Chart.AppVersion }}
{{- end }}

{{/* The names of the three Secrets, which the operator or the chart has created. */}}
{{- define "platform.secret" -}}
{{- .Values.secrets.existing.platform | default (printf "%s-secrets" .Release.Name) -}}
{{- end }}
{{- define "platform.hasuraRoleSecret" -}}
{{- .Values.secrets.existing.hasuraRole | default (printf "%s-role-hasura" .Release.Name) -}}
{{- end }}
{{- define "platform.signInRoleSecret" -}}
{{- .Values.secrets.existing.signInRole | default (printf "%s-role-sign-in" .Release.Name) -}}
{{- end }}

{{/* Changes with every Secret that the chart creates, so that the pods are replaced. */}}
{{- define "platform.secretsChecksum" -}}
checksum/secrets: {{ include (print .Template.BasePath "/secrets.yaml") . | sha256sum }}
{{- end }}

{{/* The hosts of baseUrl and authUrl. */}}
{{- define "platform.apiHost" -}}{{ (urlParse .Values.baseUrl).host }}{{- end }}
{{- define "platform.signInHost" -}}{{ (urlParse .Values.authUrl).host }}{{- end }}
