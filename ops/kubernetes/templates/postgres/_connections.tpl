{{/*
Refuses what would run out of connections, while one more instance of each part is started during an update. 20 are for the
migrations, for CloudNativePG and for people; Hasura's instances open 50 each (hasura/metadata/databases/databases.yaml).
*/}}
{{- define "postgres.checkConnections" -}}
{{- $hasura := mul (add1 (int .Values.hasura.replicas)) 50 -}}
{{- if .Values.postgres.pooler.enabled -}}
{{- $hasura = mul (int .Values.postgres.pooler.instances) (int .Values.postgres.pooler.poolSize) -}}
{{- end -}}
{{- $instances := ternary (int .Values.oidc.autoscaling.max) (int .Values.oidc.replicas) .Values.oidc.autoscaling.enabled -}}
{{- $signIn := mul (add1 $instances) (int (.Values.config.DATABASE_POOL_SIZE | default "10")) -}}
{{- if gt (int $signIn) 50 -}}
{{- fail (printf "oidc: %d connections of %d instances, and one more during an update, are more than the 50 of the role sign_in (config.DATABASE_POOL_SIZE)" (int $signIn) (int $instances)) -}}
{{- end -}}
{{- $sum := add $hasura $signIn 20 -}}
{{- if gt (int $sum) (int .Values.postgres.maxConnections) -}}
{{- fail (printf "postgres.maxConnections: %d connections of hasura, oidc and the migrations are more than %d; use postgres.pooler" (int $sum) (int .Values.postgres.maxConnections)) -}}
{{- end -}}
{{- end }}
