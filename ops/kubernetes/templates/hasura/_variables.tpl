{{/* The variables of Hasura in the Deployment and in the job; takes the root context and the URL of its database. */}}
{{- define "hasura.variables" -}}
{{- $root := index . 0 -}}
- name: HASURA_DATABASE_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ include "platform.hasuraRoleSecret" $root }}, key: password } }
- name: HASURA_GRAPHQL_DATABASE_URL
  value: {{ index . 1 | quote }}
- { name: HASURA_GRAPHQL_SERVER_PORT, value: "8080" }
{{ include "platform.secretVariable" (list $root "HASURA_GRAPHQL_ADMIN_SECRET") }}
- { name: HASURA_GRAPHQL_AUTH_HOOK, value: "http://{{ $root.Release.Name }}-webhooks:3000/hasura/auth" }
- { name: HASURA_GRAPHQL_AUTH_HOOK_MODE, value: POST }
- { name: HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY, value: "false" }
- { name: HASURA_GRAPHQL_PRESERVE_401_ERRORS, value: "true" }
- { name: HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES, value: "true" }
- { name: HASURA_GRAPHQL_ENABLE_TELEMETRY, value: "false" }
- { name: HASURA_GRAPHQL_ENABLE_CONSOLE, value: "false" }
- { name: HASURA_GRAPHQL_ENABLED_APIS, value: graphql }
- { name: HASURA_GRAPHQL_ENABLED_LOG_TYPES, value: "startup,http-log,webhook-log,websocket-log" }
- { name: WEBHOOKS_URL, value: "http://{{ $root.Release.Name }}-webhooks:3000" }
{{ include "platform.secretVariable" (list $root "INTERNAL_SECRET") }}
- { name: INTERNAL_AUTHORIZATION, value: "Bearer $(INTERNAL_SECRET)" }
{{- end }}
