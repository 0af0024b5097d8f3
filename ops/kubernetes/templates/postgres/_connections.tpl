{{/*
Fails if, with these values, the connections could run out during an update. An instance that shuts down keeps its
connections for up to 75 seconds, but the Deployment no longer counts it. In this time the other instances may be replaced,
too, so every component may have twice its instances. 20 connections are for the migrations, CloudNativePG and people. Each
instance of Hasura opens up to 50 (hasura/metadata/databases/databases.yaml).
*/}}
{{- define "postgres.checkConnections" -}}
{{- $hasura := mul 2 (int .Values.hasura.replicas) 50 -}}
{{- if .Values.postgres.pooler.enabled -}}
{{- $hasura = mul 2 (int .Values.postgres.pooler.instances) (int .Values.postgres.pooler.poolSize) -}}
{{- end -}}
{{- $instances := ternary (int .Values.oidc.autoscaling.max) (int .Values.oidc.replicas) .Values.oidc.autoscaling.enabled -}}
{{- $signIn := mul 2 $instances (int (.Values.config.DATABASE_POOL_SIZE | default "10")) -}}
{{- if gt (int $signIn) 50 -}}
{{- fail (printf "oidc: %d connections of %d instances, twice as many during an update, are more than the 50 of the role sign_in (config.DATABASE_POOL_SIZE)" (int $signIn) (int $instances)) -}}
{{- end -}}
{{- $sum := add $hasura $signIn 20 -}}
{{- if gt (int $sum) (int .Values.postgres.maxConnections) -}}
{{- fail (printf "postgres.maxConnections: %d connections of hasura, oidc and the migrations during an update are more than %d; use postgres.pooler" (int $sum) (int .Values.postgres.maxConnections)) -}}
{{- end -}}
{{- end }}
