{{/* The source of a new cluster's data. An existing cluster ignores it. */}}
{{- define "postgres.bootstrap" -}}
{{- with .Values.postgres }}
{{- if and .restore.objectStore (not .restore.server) }}
{{- fail "postgres.restore.server is missing: set it to the name of the cluster whose backup is in postgres.restore.objectStore" }}
{{- end }}
{{- if and .restore.objectStore (eq .restore.objectStore .backups.objectStore) (eq .restore.server (printf "%s-postgres" $.Release.Name)) }}
{{- fail "postgres.backups.objectStore: the restored cluster would write into the backup that it is restored from; name another ObjectStore" }}
{{- end }}
{{- end }}
{{- with .Values.postgres.restore }}
{{- if .objectStore -}}
recovery:
  source: origin
  database: platform
  owner: hasura
  secret: { name: {{ include "platform.hasuraRoleSecret" $ }} }
  {{- with .until }}
  recoveryTarget: { targetTime: {{ . | quote }} }
  {{- end }}
{{- else -}}
initdb:
  database: platform
  owner: hasura
  secret: { name: {{ include "platform.hasuraRoleSecret" $ }} }
  dataChecksums: true
  encoding: UTF8
  localeProvider: builtin
  builtinLocale: C.UTF-8
  # The limits and privileges of the roles.
  postInitApplicationSQLRefs:
    configMapRefs: [{ name: {{ $.Release.Name }}-postgres-roles, key: roles.sql }]
{{- end }}
{{- end }}
{{- end }}
