{{/* The settings of every pod of this chart; takes the root context, the component and the id of its user. */}}
{{- define "platform.pod" -}}
{{- $root := index . 0 -}}
serviceAccountName: {{ $root.Release.Name }}-platform
automountServiceAccountToken: false
# Service links set variables for each Service of the namespace. For a Service named prices, the developer API would read
# PRICES_PORT as its own setting.
enableServiceLinks: false
{{- with $root.Values.images.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ index . 2 }}
  runAsGroup: {{ index . 2 }}
  fsGroup: {{ index . 2 }}
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* Spreads the instances of a component over zones and nodes, as far as possible. */}}
{{- define "platform.spread" -}}
topologySpreadConstraints:
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - topologyKey: {{ . }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    matchLabelKeys: [pod-template-hash]
    labelSelector: {{- include "platform.pods" $ | nindent 6 }}
  {{- end }}
{{- end }}

{{/* Forbids a container to gain rights, and to write outside its volumes. */}}
{{- define "platform.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* Starts a new instance before an old instance ends. */}}
{{- define "platform.rollingUpdate" -}}
type: RollingUpdate
rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
{{- end }}

{{/* A variable from a Secret; takes the root context, the variable's name, and the key if it has another name. */}}
{{- define "platform.secretVariable" -}}
- name: {{ index . 1 }}
  valueFrom: { secretKeyRef: { name: {{ include "platform.secret" (index . 0) }}, key: {{ last . }} } }
{{- end }}

{{/* A variable from a Secret that may lack its key. */}}
{{- define "platform.optionalVariable" -}}
- name: {{ index . 1 }}
  valueFrom: { secretKeyRef: { name: {{ include "platform.secret" (index . 0) }}, key: {{ index . 1 }}, optional: true } }
{{- end }}

{{/* The certificate authority of PostgreSQL. The Secret also contains its private key, which is not mounted. */}}
{{- define "platform.databaseVolume" -}}
- name: database-ca
  secret:
    secretName: {{ .Release.Name }}-postgres-ca
    items: [{ key: ca.crt, path: ca.crt }]
{{- end }}
{{- define "platform.databaseMount" -}}
- { name: database-ca, mountPath: /etc/database-ca, readOnly: true }
{{- end }}
