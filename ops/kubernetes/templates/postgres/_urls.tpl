{{/* The URL at which a role reaches the primary; takes the root context, the role, and its password or the variable with the password. */}}
{{- define "postgres.url" -}}
{{- $host := printf "%s-postgres-rw" (index . 0).Release.Name -}}
{{- printf "postgres://%s:%s@%s:5432/platform?sslmode=verify-full&sslrootcert=/etc/database-ca/ca.crt" (index . 1) (index . 2) $host -}}
{{- end }}

{{/* The URL of the database for Hasura. If the pooler is enabled, its URL: its certificate has the same authority, but other names. */}}
{{- define "hasura.databaseUrl" -}}
{{- if .Values.postgres.pooler.enabled -}}
{{- printf "postgres://hasura:$(HASURA_DATABASE_PASSWORD)@%s-postgres-pooler:5432/platform?sslmode=verify-ca&sslrootcert=/etc/database-ca/ca.crt" .Release.Name -}}
{{- else -}}
{{- include "postgres.url" (list . "hasura" "$(HASURA_DATABASE_PASSWORD)") -}}
{{- end -}}
{{- end }}
