{{/*
The Deployment of a service. Its arguments are root, component (webhooks or oidc), values, port, metricsPort, env, and
database (true if the service connects to PostgreSQL).

An instance that shuts down serves for another 15 seconds, because the proxy caches its address for five seconds, and
CoreDNS by default for five more. If the cluster's DNS caches it longer, the proxy retries with another instance. Then the
instance rejects new connections, and for DRAIN_SECONDS (6) accepts requests on connections that the proxy keeps open.
Then it finishes its requests, which takes up to ten seconds. These 31 seconds are within the
terminationGracePeriodSeconds of 40.

An instance gets requests once /readyz has reported that all its dependencies respond. After that, Kubernetes only checks
that the instance itself responds. So when the chain is down, requests that need no chain are still served.
*/}}
{{- define "platform.service" -}}
{{- $root := .root -}}
{{- $of := list $root .component -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $root.Release.Name }}-{{ .component }}
  labels: {{- include "platform.labels" $of | nindent 4 }}
spec:
  {{- /* If the autoscaler sets the number, Helm must not set it, because server-side apply (Helm 4) would report a conflict. */}}
  {{- if not .values.autoscaling.enabled }}
  replicas: {{ .values.replicas }}
  {{- end }}
  strategy: {{- include "platform.rollingUpdate" $root | nindent 4 }}
  selector:
    matchLabels: {{- include "platform.selector" $of | nindent 6 }}
  template:
    metadata:
      labels: {{- include "platform.selector" $of | nindent 8 }}
      annotations: {{- include "platform.secretsChecksum" $root | nindent 8 }}
    spec:
      {{- include "platform.pod" (list $root .component 1000) | nindent 6 }}
      {{- include "platform.spread" $of | nindent 6 }}
      terminationGracePeriodSeconds: 40
      containers:
        - name: {{ .component }}
          image: {{ include "platform.image" $of }}
          imagePullPolicy: {{ $root.Values.images.pullPolicy }}
          securityContext: {{- include "platform.security" $root | nindent 12 }}
          ports:
            - { name: http, containerPort: {{ .port }} }
            - { name: metrics, containerPort: {{ .metricsPort }} }
          env:
            {{- .env | nindent 12 }}
            {{- range $name, $value := $root.Values.config }}
            - { name: {{ $name }}, value: {{ $value | quote }} }
            {{- end }}
          startupProbe:
            httpGet: { path: /readyz, port: http }
            periodSeconds: 2
            timeoutSeconds: 5
            failureThreshold: 150
          readinessProbe:
            httpGet: { path: /healthz, port: http }
            periodSeconds: 5
            timeoutSeconds: 5
          livenessProbe:
            httpGet: { path: /healthz, port: http }
            periodSeconds: 10
            timeoutSeconds: 10
            failureThreshold: 6
          lifecycle:
            preStop: { sleep: { seconds: 15 } }
          resources: {{- toYaml .values.resources | nindent 12 }}
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
            {{- if .database }}
            {{- include "platform.databaseMount" $root | nindent 12 }}
            {{- end }}
      volumes:
        - name: tmp
          emptyDir: { sizeLimit: 256Mi }
        {{- if .database }}
        {{- include "platform.databaseVolume" $root | nindent 8 }}
        {{- end }}
{{- end }}

{{/* The variables of both services. */}}
{{- define "platform.sharedVariables" -}}
- { name: NODE_ENV, value: production }
- { name: HASURA_GRAPHQL_ENDPOINT, value: "http://{{ .Release.Name }}-hasura:8080" }
- { name: BASE_URL, value: {{ .Values.baseUrl | quote }} }
- { name: AUTH_URL, value: {{ .Values.authUrl | quote }} }
# Longer than the proxy keeps an idle connection (keepalive in ops/Caddyfile).
- { name: DRAIN_SECONDS, value: "6" }
- { name: TRUSTED_PROXY_HOPS, value: {{ .Values.trustedProxyHops | quote }} }
# The services send the first secret and accept both. Hasura knows only the first.
{{ include "platform.secretVariable" (list . "ADMIN_SECRET" "HASURA_GRAPHQL_ADMIN_SECRET") }}
{{ include "platform.secretVariable" (list . "ADMIN_SECRET_ALSO" "HASURA_GRAPHQL_ADMIN_SECRET_ALSO") }}
- { name: HASURA_GRAPHQL_ADMIN_SECRET, value: "$(ADMIN_SECRET),$(ADMIN_SECRET_ALSO)" }
{{ include "platform.secretVariable" (list . "CLIENT_SECRET_PEPPER") }}
{{ include "platform.secretVariable" (list . "SIGNING_KEY_SECRET") }}
{{ include "platform.secretVariable" (list . "CHAIN_RPC_URL") }}
{{ include "platform.optionalVariable" (list . "OTEL_EXPORTER_OTLP_HEADERS") }}
{{- end }}
